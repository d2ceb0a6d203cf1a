import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import { expect, test } from 'vitest';
import { instrumented } from '../../src/user-code/instrument.js';

interface Counted {
  value: unknown;
  rounds: number;
  resumed: number;
}

/** Runs the body of a function, as it is and counted: the same comes of it. */
async function counted(body: string): Promise<Counted> {
  let [rounds, resumed] = [0, 0];
  const instruments = {
    round: () => {
      rounds += 1;
    },
    resumed: (value: unknown) => {
      resumed += 1;
      return value;
    },
  };
  const text = instrumented(`return (async () => {\n${body}\n})();`, 'the instruments');
  const value = await new Function('require', text)(
    (from: string) => from === 'the instruments' && instruments,
  );
  expect(value).toEqual(await new Function(`return (async () => {\n${body}\n})();`)());
  // The function around it is none of the body's.
  return { value, rounds: rounds - 1, resumed };
}

test.each([
  ['a block', 'let n = 0; for (let i = 0; i < 3; i++) { n += i; } return n;', 3, 3],
  ['a body without a block', 'let n = 0; for (let i = 0; i < 3; i++) n += i; return n;', 3, 3],
  [
    'loops within loops',
    'let n = 0; for (let i = 0; i < 3; i++) for (const j of [1, 2]) n += j; return n;',
    9,
    9,
  ],
  ['an empty body', 'let n = 0; while (n++ < 4); return n;', 5, 4],
  ['do', 'let n = 0; do n += 2; while (n < 6) return n;', 6, 3],
  ['in', "let n = ''; for (const key in { a: 1, b: 2 }) n += key; return n;", 'ab', 2],
  [
    'labels',
    'let n = 0; outer: for (;;) { for (;;) { if (n++ > 3) break outer; continue outer; } } return n;',
    5,
    10,
  ],
  ['a body without a semicolon', 'let n = 0\nwhile (n < 2)\n  n++\nreturn n', 2, 2],
  ['functions', 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } return f(5);', 5, 15],
  ['arrows', 'const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); return f(5);', 5, 15],
  ['arrows of arrows', 'const f = (a) => (b) => a + b; return f(1)(2);', 3, 2],
  ['an arrow to an object', 'const f = (a) => ({ a }); return f(1).a;', 1, 1],
  ['an arrow to a sequence', 'const f = (a) => (a, a + 1); return f(1);', 2, 1],
  ['callbacks', 'return [1, 2, 3].map((n) => n * 2).filter(function (n) { return n > 2; });', [4, 6], 6],
  [
    'classes',
    'class A { n = 1; static s = () => 2; constructor() { this.n += 1; } get m() { return this.n; } f() { return this.m; } } class B extends A { constructor() { super(); } } return new B().f() + A.s();',
    4,
    5,
  ],
  ['generators', 'function* g() { for (let i = 0; i < 2; i++) yield i; } return [...g()];', [0, 1], 3],
  ['a switch', 'switch (1) { case 1: return [1].map((n) => n + 1)[0]; }', 2, 1],
])('counts rounds: %s', async (_, body, value, rounds) => {
  expect(await counted(body)).toEqual({ value, rounds, resumed: 0 });
});

test.each([
  ['one', 'const n = await 3; return n;', 3, 1, 0],
  ['within another', 'return await await Promise.resolve(2);', 2, 2, 0],
  ['in an expression', 'return -(await 2) + [await 1][0];', -1, 2, 0],
  ['of an arrow', 'const f = async () => await 4; return f();', 4, 1, 1],
  ['as the body of a loop', 'let n = 0; for (let i = 0; i < 2; i++) await n++\nreturn n', 2, 2, 2],
  ['in a loop', 'let n = 0; for await (const m of [1, Promise.resolve(2)]) n += m; return n;', 3, 2, 0],
])('counts what is awaited: %s', async (_, body, value, resumed, rounds) => {
  expect(await counted(body)).toEqual({ value, rounds, resumed });
});

test('keeps lines, directives, and what the code is', () => {
  const named = (colon: string) => `{ round${colon}__reprise_round, resumed${colon}__reprise_resumed }`;
  const imported = `;import ${named(' as ')} from "/r.js";`;
  expect(instrumented("import a from 'a';\nexport default () => a;", '/r.js')).toBe(
    `${imported}import a from 'a';\nexport default () => (__reprise_round(),a);`,
  );
  const required = `;var ${named(': ')} = require("/r.js");`;
  const strict =
    "#!/usr/bin/env node\n'use strict';\nmodule.exports = function () { 'use strict'; return 1; };";
  expect(instrumented(strict, '/r.js')).toBe(
    `#!/usr/bin/env node\n'use strict';${required}\nmodule.exports = function () { 'use strict';;__reprise_round(); return 1; };`,
  );
  expect(instrumented('f();', '/r.js')).toBe(`${required}f();`);
  expect(instrumented('f();', '/r.js', true)).toBe(`${imported}f();`);
  expect(instrumented('this is no code', '/r.js')).toBe('this is no code');
});

test('what it makes of any file can be parsed', () => {
  const files = readdirSync('dist', { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.js'));
  const modules = files.filter((name) => /^(agents|grading|runtime|workflows)\//.test(name));
  expect(modules.length).toBeGreaterThan(80);
  for (const name of modules) {
    const code = readFileSync(join('dist', name), 'utf8');
    const made = instrumented(code, '/rounds.js');
    expect(made.split('\n'), name).toHaveLength(code.split('\n').length);
    parse(made, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  }
});
