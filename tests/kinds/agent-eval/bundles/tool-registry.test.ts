import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z as otherZod } from 'zod/mini';
import { SqliteDatabase } from '../../../../src/databases/sqlite-database.js';
import { InfrastructureError, ToolRegistry, z } from '../../../../src/kinds/agent-eval/bundles/index.js';
import { isToolRegistry } from '../../../../src/kinds/agent-eval/bundles/tool-registry.js';
import { HOSTILE_THROWS } from '../../../support/hostile-throws.js';

const NOW = '2026-03-02T09:00:00.000Z';

async function context() {
  const db = await SqliteDatabase.open(null, { now: Date.parse(NOW), seed: '' });
  onTestFinished(() => db.close());
  await db.executeScript(
    "CREATE TABLE flights (id INTEGER PRIMARY KEY, origin TEXT); INSERT INTO flights VALUES (1, 'SFO')",
  );
  return { db, now: NOW };
}

function flights() {
  const registry = new ToolRegistry('flight_tools');
  registry.tool(
    'search_flights',
    {
      description: 'Find flights.',
      parameters: z.object({ origin: z.string().describe('Airport'), most: z.int().min(1).default(5) }),
      readOnly: true,
    },
    async ({ origin, most }, { db }) =>
      db.fetchAll('SELECT * FROM flights WHERE origin = :origin LIMIT :most', { origin, most }),
  );
  registry.tool(
    {
      name: 'book',
      description: 'Book.',
      parameters: z.object({ flight_id: z.int(), seats: z.array(z.object({ row: z.int() })).optional() }),
    },
    async ({ flight_id }, { db }) => {
      const found = await db.fetchValue('SELECT id FROM flights WHERE id = :flight_id', { flight_id });
      if (found === null) throw new Error(`there is no flight ${flight_id}`);
      return { booked: found };
    },
  );
  return registry;
}

test('a schema is JSON Schema 2020-12, which Anthropic holds it to: a tuple has prefixItems', () => {
  const registry = new ToolRegistry('pairs');
  const parameters = z.object({ pair: z.tuple([z.string(), z.number()]) });
  registry.tool('pair', { description: 'A pair.', parameters }, () => null);
  expect(registry.toToolDefinitions()[0]?.parameters.properties).toEqual({
    pair: expect.objectContaining({
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: false,
    }),
  });
});

describe('registering', () => {
  test('takes the name first, as an option, or from the function, and answers the function', async () => {
    const registry = flights();
    const said = registry.tool({ description: 'Says hello.', parameters: z.object({}) }, function hello() {
      return 'hello';
    });
    expect(registry.tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ['search_flights', true],
      ['book', false],
      ['hello', false],
    ]);
    expect(said({}, await context())).toBe('hello');
    expect([registry.isReadOnly('search_flights'), registry.isReadOnly('book')]).toEqual([true, false]);
    expect([registry.has('book'), registry.has('toString')]).toEqual([true, false]);
  });

  const parameters = z.object({});
  const run = () => null;
  test.each<[string, (registry: ToolRegistry) => unknown, string]>([
    [
      'no name',
      (r) => r.tool({ description: 'd', parameters }, () => null),
      'flight_tools: a tool has no name',
    ],
    [
      'a name with a dot',
      (r) => r.tool('a.b', { description: 'd', parameters }, run),
      "'a.b' is no name for a tool",
    ],
    [
      'a digit first',
      (r) => r.tool('1a', { description: 'd', parameters }, run),
      "'1a' is no name for a tool",
    ],
    ['64 letters', (r) => r.tool('a'.repeat(64), { description: 'd', parameters }, run), 'at most 63'],
    [
      'a name twice',
      (r) => r.tool('book', { description: 'd', parameters }, run),
      'there are two tools named book',
    ],
    [
      'no description',
      (r) => r.tool('a', { description: ' ', parameters }, run),
      'flight_tools.a: description is missing',
    ],
    [
      'no parameters',
      (r) => r.tool('a', { description: 'd' } as never, run),
      'flight_tools.a: parameters must be a z.object',
    ],
    [
      'a schema of something else',
      (r) => r.tool('a', { description: 'd', parameters: z.string() as never }, run),
      'must be a z.object',
    ],
    [
      'another kind of zod',
      (r) => r.tool('a', { description: 'd', parameters: otherZod.object({}) as never }, run),
      "'reprise/bundle' exports such a z",
    ],
    [
      'a date',
      (r) => r.tool('a', { description: 'd', parameters: z.object({ on: z.date() }) }, run),
      'flight_tools.a: parameters cannot be told to a model',
    ],
    [
      'no function',
      (r) => r.tool('a', { description: 'd', parameters }, undefined as never),
      'a tool is registered with tool(name, options, function)',
    ],
  ])('%s is refused', (_name, register, message) => {
    expect(() => register(flights())).toThrow(TypeError);
    expect(() => register(flights())).toThrow(message);
  });

  test('a registry needs a name', () => {
    expect(() => new ToolRegistry('')).toThrow("new ToolRegistry('flight_tools')");
  });

  test('a registry of another copy of the module is known', () => {
    expect([isToolRegistry(flights()), isToolRegistry({}), isToolRegistry(null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isToolRegistry({ [Symbol.for('reprise.tool-registry')]: true })).toBe(true);
  });
});

describe('the forms of the providers', () => {
  const search = {
    type: 'object',
    properties: {
      origin: { type: 'string', description: 'Airport' },
      most: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 5 },
    },
    required: ['origin'],
    additionalProperties: false,
  };
  const described = { name: 'search_flights', description: 'Find flights.' };
  const only = ['search_flights'];

  test('OpenAI', () => {
    expect(flights().toOpenAITools(only)).toEqual([
      { type: 'function', function: { ...described, parameters: search } },
    ]);
  });

  test('Gemini', () => {
    expect(flights().toGeminiTools(only)).toEqual([
      { functionDeclarations: [{ ...described, parametersJsonSchema: search }] },
    ]);
    expect(flights().toGeminiTools([])).toEqual([]);
  });

  test('Anthropic', () => {
    expect(flights().toAnthropicTools(only)).toEqual([{ ...described, input_schema: search }]);
  });

  test('Reprise’s own, all of them where none are named', () => {
    expect(flights().toToolDefinitions(only)).toEqual([{ ...described, parameters: search }]);
    expect(flights().toOpenAITools()).toHaveLength(2);
  });
});

describe('a call', () => {
  const call = async (name: string, toolArguments: unknown, allowed: string[] | null = null) => {
    const text = typeof toolArguments === 'string' ? toolArguments : JSON.stringify(toolArguments);
    return flights().call({ name, arguments: text }, await context(), { allowed });
  };

  test('is answered as JSON, with defaults filled in', async () => {
    expect(await call('search_flights', { origin: 'SFO' })).toEqual({
      ok: true,
      value: [{ id: 1, origin: 'SFO' }],
      content: '[{"id":1,"origin":"SFO"}]',
    });
  });

  test.each<[string, string, unknown, string, string]>([
    ['of no tool', 'fly', {}, 'unknown_tool', "there is no tool 'fly'; there are: search_flights, book"],
    ['of what every object has', 'constructor', {}, 'unknown_tool', "there is no tool 'constructor'"],
    ['without JSON', 'book', '{"flight_id": 1', 'invalid_arguments', 'the arguments are no JSON'],
    ['with a list', 'book', [1], 'invalid_arguments', 'the arguments must be one JSON object'],
    ['with null', 'book', 'null', 'invalid_arguments', 'flight_id'],
    ['with nothing', 'book', '', 'invalid_arguments', 'flight_id: is missing; it must be a number'],
    ['with a text', 'book', { flight_id: '1' }, 'invalid_arguments', 'flight_id: must be a number, not "1"'],
    [
      'with half a flight',
      'book',
      { flight_id: 1.5 },
      'invalid_arguments',
      'flight_id: must be a whole number, not 1.5',
    ],
    [
      'with a misspelt field',
      'book',
      { flight_id: 1, seat: [] },
      'invalid_arguments',
      "unknown field 'seat', did you mean 'seats'?",
    ],
    [
      'with a fault deep inside',
      'book',
      { flight_id: 1, seats: [{ row: 1 }, { row: 'b' }] },
      'invalid_arguments',
      'seats[1].row: must be a number, not "b"',
    ],
    ['that the tool rejects', 'book', { flight_id: 7 }, 'tool_failed', 'there is no flight 7'],
  ])('%s is an error that the model can correct', async (_name, tool, toolArguments, fault, message) => {
    const outcome = await call(tool, toolArguments);
    expect(outcome).toMatchObject({ ok: false, fault, message: expect.stringContaining(message) });
    expect(JSON.parse(outcome.content).error).toContain(message);
  });

  test('names every fault at once', async () => {
    const outcome = await call('search_flights', { most: 0 });
    expect(outcome.content).toContain('origin: is missing');
    expect(outcome.content).toContain('most: must be at least 1, not 0');
  });

  test('of a tool that the row does not offer is refused, and says what it offers', async () => {
    expect(await call('book', { flight_id: 1 }, ['search_flights'])).toMatchObject({
      ok: false,
      fault: 'not_allowed',
      message: "the tool 'book' may not be used here; there are: search_flights",
    });
  });

  test('keeps what an open schema leaves open', async () => {
    const registry = new ToolRegistry('open');
    registry.tool('note', { description: 'd', parameters: z.looseObject({}) }, (given) => given);
    const outcome = await registry.call({ name: 'note', arguments: '{"any": [1]}' }, await context());
    expect(outcome).toMatchObject({ ok: true, value: { any: [1] } });
  });

  const tree = z.object({
    at: z.int(),
    get next() {
      return z.array(tree).optional();
    },
  });
  const named = z.object({ at: z.int() }).meta({ id: 'Place' });
  const nested = z.object({
    lines: z.array(z.object({ name: z.string(), seat: z.string().default('any') })).optional(),
    tree: tree.optional(),
    pair: z.tuple([named], z.object({ rest: z.int() })).optional(),
    either: z.union([z.object({ a: z.int() }), z.strictObject({ b: z.int() }), z.string()]).nullish(),
    both: z
      .object({ a: z.int() })
      .and(z.object({ b: z.int() }))
      .default({ a: 1, b: 2 }),
    by_name: z.record(z.string(), named).optional(),
    loose: z.looseObject({ of: named.optional() }).optional(),
    more: z.object({ a: z.int() }).catchall(named).optional(),
    read: z
      .preprocess((given) => ({ a: (given as { old: number }).old }), z.object({ a: z.int() }))
      .optional(),
    shout: z
      .object({ a: z.int() })
      .transform(({ a }) => -a)
      .optional(),
    any: z.any().optional(),
  });
  async function nesting(given: object) {
    const registry = new ToolRegistry('nested');
    registry.tool('nest', { description: 'd', parameters: nested }, (read) => read);
    return registry.call({ name: 'nest', arguments: JSON.stringify(given) }, await context());
  }

  test.each<[string, object, string]>([
    [
      'an entry',
      { lines: [{ name: 'Ann' }, { name: 'Bo', sat: 'b' }] },
      "lines[1].sat: unknown field 'sat', did you mean 'seat'? (allowed: name, seat)",
    ],
    ['an entry of an entry', { tree: { at: 1, next: [{ at: 2, x: 1 }] } }, 'tree.next[0].x: '],
    ['a pair', { pair: [{ at: 1, x: 1 }] }, 'pair[0].x: '],
    ['the rest of a pair', { pair: [{ at: 1 }, { rest: 1, x: 1 }] }, 'pair[1].x: '],
    ['either form', { either: { a: 1, x: 1 } }, "either.x: unknown field 'x'"],
    ['both forms', { both: { a: 1, b: 1, x: 1 } }, 'both.x: '],
    ['a record', { by_name: { one: { at: 1, x: 1 } } }, 'by_name.one.x: '],
    ['an open object', { loose: { of: { at: 1, x: 1 } } }, 'loose.of.x: '],
    ['a field that is not listed', { more: { a: 1, b: { at: 1, x: 1 } } }, 'more.b.x: '],
    ['what is changed', { shout: { a: 1, x: 1 } }, 'shout.x: '],
  ])('with a field within %s that is not listed is an error', async (_name, given, message) => {
    const outcome = await nesting(given);
    expect(outcome).toMatchObject({ fault: 'invalid_arguments', message: expect.stringContaining(message) });
  });

  test('names every fault within others, once', async () => {
    const { content } = await nesting({ lines: [{ nam: 'Ann', x: 1 }], either: { b: 1, y: 1 }, z: 1 });
    const { error } = JSON.parse(content);
    expect(error).toContain('lines[0].name: is missing');
    for (const key of ['nam', 'x', 'z']) expect(error.split(`field '${key}'`)).toHaveLength(2);
  });

  test.each<[object, object]>([
    [{ lines: [{ name: 'Ann' }] }, { lines: [{ name: 'Ann', seat: 'any' }] }],
    [{ either: { b: 1 } }, { either: { b: 1 } }],
    [{ both: { a: 3, b: 4 } }, { both: { a: 3, b: 4 } }],
    [{ loose: { x: 1 } }, { loose: { x: 1 } }],
    [{ more: { a: 1, b: { at: 1 } } }, { more: { a: 1, b: { at: 1 } } }],
    [{ read: { old: 1 } }, { read: { a: 1 } }],
    [{ any: { x: [{ y: 1 }] } }, { any: { x: [{ y: 1 }] } }],
  ])('keeps what is listed or left open within others: %j', async (given, read) => {
    expect(await nesting(given)).toMatchObject({ ok: true, value: read });
  });

  test('reads no further where all is left open, however deep that is', async () => {
    const registry = new ToolRegistry('deep');
    registry.tool('deep', { description: 'd', parameters: z.object({ any: z.any() }) }, () => 'done');
    const text = `{"any": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const outcome = await registry.call({ name: 'deep', arguments: text }, await context());
    expect(outcome).toMatchObject({ ok: true, value: 'done' });
  });

  async function answering(run: (signal?: AbortSignal) => unknown, timeoutMs?: number) {
    const registry = new ToolRegistry('odd');
    registry.tool('odd', { description: 'd', parameters: z.object({}) }, (_given, { signal }) => run(signal));
    return registry.call({ name: 'odd', arguments: '{}' }, await context(), { timeoutMs });
  }

  test.each<[string, unknown, unknown, string]>([
    ['nothing', undefined, null, 'null'],
    ['a text, as it is', 'Done.', 'Done.', 'Done.'],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a date alone', new Date(0), '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
    ['objects without fields', [{}, Object.create(null), new (class Empty {})()], [{}, {}, {}], '[{},{},{}]'],
    ['boxed values', [new Number(7), new String('')], [7, ''], '[7,""]'],
    ['bytes', { b: new Uint8Array([1, 2]) }, { b: 'AQI=' }, '{"b":"AQI="}'],
    ['large integers', [2n ** 60n, 7n], ['1152921504606846976', 7], '["1152921504606846976",7]'],
  ])('may answer %s', async (_name, answer, value, content) => {
    expect(await answering(() => answer)).toEqual({ ok: true, value, content });
  });

  const cycle: Record<string, unknown> = {};
  cycle.itself = cycle;
  test.each<[string, () => unknown, string]>([
    ['a cycle', () => cycle, "the tool's answer is no JSON"],
    ['a function', () => ({ run: () => 1 }), "the tool's answer is no JSON: it holds a function"],
    ['a promise in it', () => ({ order: Promise.resolve(1) }), 'it holds a promise: await it'],
    ['a list of promises', () => [1].map(async (id) => id), 'it holds a promise: await it'],
    // biome-ignore lint/suspicious/noThenProperty: a query of some libraries is one.
    ['what can be awaited in it', () => [Object.create({ then: () => 1 })], 'it holds a promise: await it'],
    ['a map', () => new Map([['a', 1]]), 'it holds a Map: answer what is in it as an object or a list'],
    ['a set in it', () => ({ of: new Set([1]) }), 'it holds a Set'],
    ['an iterator', () => new Map().values(), 'it holds a Map Iterator'],
    ['a weak map', () => new WeakMap(), 'it holds a WeakMap'],
    ['a response', () => new Response('{}'), 'it holds a Response'],
    ['an error in it', () => ({ order: new Error('no such order') }), 'it holds an Error: throw it'],
    ['a map of another realm', () => runInNewContext('new Map()'), 'it holds a Map'],
    ['an error for its answer', () => new RangeError('no such order'), 'no such order'],
    ['an error of another realm', () => runInNewContext("new Error('no such order')"), 'no such order'],
    ['a symbol', () => Symbol('x'), "the tool's answer is no JSON: it is a symbol"],
    ['a thrown text', () => Promise.reject('no'), 'no'],
    ['an error without words', () => Promise.reject(new RangeError()), 'RangeError'],
    ['a wrong statement', async () => (await context()).db.fetchAll('SELEC'), 'near "SELEC": syntax error'],
  ])('that ends with %s is a tool error', async (_name, run, message) => {
    expect(await answering(run)).toMatchObject({
      ok: false,
      fault: 'tool_failed',
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, () => Error]>([
    ['an InfrastructureError', () => new InfrastructureError('the hotel server is unreachable')],
    ['a refused connection', () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    [
      'a failed fetch',
      () =>
        new TypeError('fetch failed', {
          cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
        }),
    ],
    ['a full disk', () => Object.assign(new Error('no space left'), { code: 'ENOSPC' })],
  ])('that ends with %s is no message to the model', async (_name, error) => {
    const thrown = error();
    await expect(answering(() => Promise.reject(thrown))).rejects.toBe(thrown);
  });

  test('that takes too long is given up, and told so', async () => {
    let told = false;
    const waiting = answering(
      (signal) =>
        new Promise(() =>
          signal?.addEventListener('abort', () => {
            told = true;
          }),
        ),
      20,
    );
    await expect(waiting).rejects.toThrow(InfrastructureError);
    await expect(waiting).rejects.toThrow('the tool odd did not answer within 0.02 s');
    expect(told).toBe(true);
  });
});

test.each(HOSTILE_THROWS)(
  'a tool that throws %s has failed, and the model is told',
  async (_name, statement, said) => {
    const registry = new ToolRegistry('hostile');
    registry.tool('go', { description: 'Go.', parameters: z.object({}) }, new Function(statement) as never);
    const outcome = await registry.call({ name: 'go', arguments: '{}' }, await context());
    expect(outcome).toMatchObject({ ok: false, fault: 'tool_failed', message: expect.stringMatching(said) });
  },
);

test('a tool may answer what throws when it is read', async () => {
  const registry = new ToolRegistry('hostile');
  const add = (name: string, run: () => unknown) =>
    registry.tool(name, { description: name, parameters: z.object({}) }, run);
  const hostile = () => {
    throw Object.create(null);
  };
  add('getter', () => Object.defineProperty({}, 'a', { get: hostile, enumerable: true }));
  add('to_json', () => ({ toJSON: hostile }));
  add('promise', () => Promise.reject(Object.create(null)));
  const call = async (name: string) => registry.call({ name, arguments: '{}' }, await context());
  for (const name of ['getter', 'to_json', 'promise']) {
    expect(await call(name)).toMatchObject({ ok: false, message: expect.stringContaining('into words') });
  }
});
