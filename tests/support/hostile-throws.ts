/** What code of users may throw, as statements; and what is then said. */
export const HOSTILE_THROWS: readonly [name: string, statement: string, said: RegExp][] = [
  ['an object without a prototype', 'throw Object.create(null);', /cannot be put into words/],
  [
    'a proxy',
    'throw new Proxy({}, { get() { throw 1; }, has() { throw 1; }, getPrototypeOf() { throw 1; } });',
    /cannot be put into words/,
  ],
  [
    'a proxy of an error',
    "throw new Proxy(new Error('x'), { get() { throw 1; } });",
    /cannot be put into words/,
  ],
  [
    'a message that throws',
    "throw Object.defineProperty(new Error('x'), 'message', { get() { throw Object.create(null); } });",
    /cannot be put into words/,
  ],
  [
    'a message that is no text',
    "throw Object.assign(new Error('x'), { message: { code: 3 } });",
    /\{"code":3\}/,
  ],
  ['a name that is no text', "throw Object.assign(new Error('named'), { name: Symbol('n') });", /named/],
  [
    'a code that is no text',
    "throw Object.assign(new Error('coded'), { code: Object.create(null) });",
    /coded/,
  ],
  ['a symbol', "throw Symbol('s');", /Symbol\(s\)/],
  ['nothing', 'throw undefined;', /undefined was thrown/],
  ['an object', 'throw { code: 7 };', /\{"code":7\}/],
  ['a message of megabytes', "throw new Error('x'.repeat(3e6));", /x{100}… \(3000000 characters\)/],
];
