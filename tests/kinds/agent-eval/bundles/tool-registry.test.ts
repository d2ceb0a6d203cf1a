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
    ['with a text', 'book', { flight_id: 'b' }, 'invalid_arguments', 'flight_id: must be a number, not "b"'],
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

  const typed = z.object({
    count: z.int().nullable(),
    weight: z.number(),
    on: z.boolean(),
    list: z.array(z.int()),
    where: z.object({ row: z.int(), tags: z.array(z.string()) }),
    by_name: z.record(z.string(), z.int()),
    pair: z.tuple([z.string(), z.int()]),
    level: z.literal([1, 2]),
    all: z.union([z.literal('all'), z.int()]),
    either: z.union([z.string(), z.number()]),
    zip: z.string(),
    size: z.enum(['1', '2']),
    any: z.any(),
    kind: z.discriminatedUnion('of', [
      z.object({ of: z.literal('a'), x: z.string() }),
      z.object({ of: z.literal('b'), x: z.int(), y: z.int().optional() }),
    ]),
    tagged: z.union([
      z.object({ of: z.literal('a'), x: z.string() }),
      z.object({ of: z.enum(['b', 'c']), y: z.int() }),
    ]),
    plain: z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
    id: z.coerce.string(),
    as_number: z.coerce.number(),
    as_boolean: z.coerce.boolean(),
    or_null: z.coerce.number().nullable(),
    all_or_null: z.array(z.coerce.number().nullish()),
    boolean_or_null: z.coerce.boolean().nullable(),
    text_or_null: z.coerce.string().nullable(),
    null_second: z.union([z.coerce.number(), z.null()]),
    one_or_all: z.union([z.literal('all'), z.coerce.number()]),
    number_or_text: z.union([z.coerce.number(), z.string()]),
    one_or_several: z.union([z.coerce.number(), z.array(z.coerce.number())]),
    any_tag: z.union([
      z.object({ of: z.literal('a'), x: z.int().optional() }),
      z.object({ of: z.enum(['b', 'c']), y: z.int().optional() }),
    ]),
    strict_tag: z.discriminatedUnion('of', [
      z.strictObject({ of: z.literal('a'), x: z.int().optional() }),
      z.strictObject({ of: z.enum(['b', 'c']), y: z.int().optional() }),
    ]),
    no_tag: z.union([z.object({ x: z.int() }), z.object({ y: z.int() })]),
  });
  async function typing(text: string, field: keyof typeof typed.shape) {
    const registry = new ToolRegistry('typed');
    const parameters = z.object({ [field]: typed.shape[field] });
    registry.tool('type', { description: 'd', parameters }, (read) => read);
    return registry.call({ name: 'type', arguments: text }, await context());
  }

  test.each<[keyof typeof typed.shape, unknown, unknown]>([
    ['count', '5', 5],
    ['count', ' 5.0 ', 5],
    ['count', 'null', null],
    ['count', 'None', null],
    ['weight', '-1.5e3', -1500],
    ['on', 'true', true],
    ['on', 'False', false],
    ['list', '[]', []],
    ['list', '["1", "2"]', [1, 2]],
    ['list', ['1', 2], [1, 2]],
    ['where', '{"row": "7", "tags": "[\\"7\\"]"}', { row: 7, tags: ['7'] }],
    ['by_name', '{"a": "1"}', { a: 1 }],
    ['by_name', { a: '1' }, { a: 1 }],
    ['pair', '["1", "1"]', ['1', 1]],
    ['level', '2', 2],
    ['all', '5', 5],
    ['kind', '{"of": "b", "x": "1"}', { of: 'b', x: 1 }],
    ['as_boolean', 'false', false],
    ['as_boolean', 0, false],
    ['as_number', '5', 5],
    ['as_number', '007', 7],
    ['or_null', null, null],
    ['or_null', 'null', null],
    ['or_null', '5', 5],
    ['or_null', '007', 7],
    ['all_or_null', ['1', null, 2], [1, null, 2]],
    ['boolean_or_null', 'false', false],
    ['boolean_or_null', 'None', null],
    ['boolean_or_null', 1, true],
    ['as_boolean', '0', false],
    ['text_or_null', 5, '5'],
    ['text_or_null', null, null],
    ['null_second', '5', 5],
    ['one_or_all', 'all', 'all'],
    ['one_or_all', '5', 5],
    ['one_or_several', ['5', 6], [5, 6]],
    ['number_or_text', 'five', 'five'],
    ['id', 5, '5'],
    // Texts where a text may be.
    ['zip', '501', '501'],
    ['zip', 'true', 'true'],
    ['either', '5', '5'],
    ['all', 'all', 'all'],
    ['size', '1', '1'],
    ['any', '[1]', '[1]'],
    ['kind', { of: 'a', x: '1' }, { of: 'a', x: '1' }],
    ['tagged', { of: 'c', y: 5 }, { of: 'c', y: 5 }],
    ['plain', { a: 1, b: 1 }, { a: 1 }],
  ])(
    'takes the JSON that a server wrote as a text, where no text may be: %s: %j',
    async (field, given, read) => {
      expect(await typing(JSON.stringify({ [field]: given }), field)).toMatchObject({
        ok: true,
        value: { [field]: read },
      });
    },
  );

  test('takes arguments that are JSON text within JSON text', async () => {
    expect(await typing(JSON.stringify('{"count": "5"}'), 'count')).toMatchObject({ value: { count: 5 } });
  });

  test.each<[keyof typeof typed.shape, unknown, string]>([
    ['count', '00501', 'count: must be a number, not "00501"'],
    ['count', '5 pieces', 'not "5 pieces"'],
    ['count', 'five', 'not "five"'],
    ['count', '', 'not ""'],
    ['count', '1.5', 'count: must be a whole number, not 1.5'],
    ['on', 'yes', 'on: must be true or false, not "yes"'],
    ['on', '1', 'on: must be true or false, not 1'],
    ['size', '3', 'size: "3" is not allowed; allowed: 1, 2'],
    ['zip', 501, 'zip: must be a string, not 501'],
    ['kind', { of: 'a', x: '1', y: 5 }, "kind.y: unknown field 'y'"],
    ['tagged', { of: 'a', x: '1', y: 5 }, "tagged.y: unknown field 'y'"],
    ['as_boolean', 'no', 'as_boolean: must be true or false, not "no"'],
    ['as_boolean', '', 'as_boolean: must be true or false, not ""'],
    ['as_number', ' ', 'as_number: must be a number, not " "'],
    ['as_number', null, 'as_number: must be a number, not null'],
    ['as_number', [], 'as_number: must be a number, not []'],
    ['id', null, 'id: must be a string, not null'],
    ['id', { a: 1 }, 'id: must be a string, not {"a":1}'],
    ['or_null', 'false', 'or_null: must be a number, not false'],
    ['or_null', 'true', 'or_null: must be a number, not true'],
    ['or_null', true, 'or_null: must be a number, not true'],
    ['or_null', '[]', 'or_null: must be a number, not []'],
    ['or_null', '', 'or_null: must be a number, not ""'],
    ['all_or_null', ['false'], 'all_or_null[0]: must be a number, not false'],
    ['boolean_or_null', 'no', 'boolean_or_null: must be true or false, not "no"'],
    ['boolean_or_null', '', 'boolean_or_null: must be true or false, not ""'],
    ['boolean_or_null', {}, 'boolean_or_null: must be true or false, not {}'],
    ['text_or_null', {}, 'text_or_null: must be a string, not {}'],
    ['null_second', 'null', 'null_second: must be a number, not null'],
    ['null_second', 'false', 'null_second: must be a number, not false'],
    ['one_or_all', 'false', 'one_or_all: must be a number, not false'],
    ['one_or_all', 'null', 'one_or_all: must be a number, not null'],
    ['one_or_all', null, 'one_or_all: must be a number, not null'],
    ['number_or_text', '', 'number_or_text: must be a number, not ""'],
    ['any_tag', { of: 'b', x: '1' }, "any_tag.x: unknown field 'x', did you mean 'y'? (allowed: of, y)"],
    ['strict_tag', { of: 'c', x: 1 }, "strict_tag.x: unknown field 'x', did you mean 'y'? (allowed: of, y)"],
    ['no_tag', { y: 1, z: 1 }, "no_tag.z: unknown field 'z', did you mean 'x'? (allowed: x, y)"],
  ])('refuses what would become another value: %s: %j', async (field, given, message) => {
    const outcome = await typing(JSON.stringify({ [field]: given }), field);
    expect(outcome).toMatchObject({ fault: 'invalid_arguments', message: expect.stringContaining(message) });
  });

  const LARGE = '2512292042121000001';
  test.each<[keyof typeof typed.shape, string, unknown]>([
    ['zip', LARGE, LARGE],
    ['either', `-${LARGE}`, `-${LARGE}`],
    ['any', `[{"n": ${LARGE}}, "a ${LARGE} \\" ${LARGE}"]`, [{ n: LARGE }, `a ${LARGE} " ${LARGE}`]],
    ['id', LARGE, LARGE],
    ['any', '9007199254740993', '9007199254740993'],
    ['any', '9007199254740992', 2 ** 53],
    ['weight', '9007199254740992', 2 ** 53],
    ['weight', '1000000000000000000', 1e18],
    ['weight', '1.5e300', 1.5e300],
    ['weight', '1e20', 1e20],
    ['weight', '0.1234567890123456789', 0.12345678901234568],
    ['any', '9'.repeat(400), '9'.repeat(400)],
  ])('keeps every digit of a whole number: %s: %s', async (field, given, read) => {
    expect(await typing(`{"${field}": ${given}}`, field)).toMatchObject({
      ok: true,
      value: { [field]: read },
    });
  });

  test.each<[keyof typeof typed.shape, string, string]>([
    ['weight', LARGE, `weight: must be a number, not "${LARGE}", which a number does not hold exactly`],
    ['count', `"${LARGE}"`, `count: must be a number, not "${LARGE}", which a number does not hold exactly`],
    ['as_number', LARGE, `as_number: must be a number, not "${LARGE}", which a number does not hold exactly`],
    ['list', `"[${LARGE}]"`, `list[0]: must be a number, not "${LARGE}", which`],
    ['on', LARGE, `on: must be true or false, not "${LARGE}"`],
  ])('refuses a whole number that would be rounded: %s: %s', async (field, given, message) => {
    const outcome = await typing(`{"${field}": ${given}}`, field);
    expect(outcome).toMatchObject({ fault: 'invalid_arguments', message: expect.stringContaining(message) });
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
    ['a buffer', { b: Buffer.from([1, 2]) }, { b: 'AQI=' }, '{"b":"AQI="}'],
    ['a buffer alone', Buffer.from([1, 2]), 'AQI=', 'AQI='],
    [
      'figures that are none',
      { a: NaN, b: [-Infinity] },
      { a: 'NaN', b: ['-Infinity'] },
      '{"a":"NaN","b":["-Infinity"]}',
    ],
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
    ['a map with fields', () => Object.assign(new Map([['a', 1]]), { most: 3 }), 'it holds a Map'],
    [
      'what a class hides',
      () => [
        new (class Price {
          #cents = 5;
          get cents() {
            return this.#cents;
          }
        })(),
      ],
      "it holds a Price: answer what is in it as an object or a list, in '0'",
    ],
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
    ['a program for which there is no memory', () => spawning('ENOMEM')],
    [
      'a connection that broke',
      () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }),
    ],
  ])('that ends with %s is no message to the model', async (_name, error) => {
    const thrown = error();
    await expect(answering(() => Promise.reject(thrown))).rejects.toBe(thrown);
  });

  const spawning = (code: string) =>
    Object.assign(new Error(`spawnSync python3 ${code}`), { code, syscall: 'spawnSync python3' });
  test.each<[string, () => Error, string]>([
    ['took too long', () => spawning('ETIMEDOUT'), 'spawnSync python3 ETIMEDOUT'],
    [
      'took too long, as its author says',
      () => new Error('Too slow.', { cause: spawning('ETIMEDOUT') }),
      'Too slow.',
    ],
    ['read not all of its input', () => spawning('EPIPE'), 'spawnSync python3 EPIPE'],
  ])('that ran a program which %s is a tool error', async (_name, error, message) => {
    expect(await answering(() => Promise.reject(error()))).toMatchObject({ fault: 'tool_failed', message });
  });

  /** Calls a tool that reaches for one place, whatever its arguments are. */
  async function reaching(given: object, reach: () => unknown, row?: object) {
    const registry = new ToolRegistry('reaching');
    registry.tool('reach', { description: 'd', parameters: z.looseObject({}) }, reach);
    return registry.call({ name: 'reach', arguments: JSON.stringify(given) }, await context(), { row });
  }
  const unreached = (message: string) => {
    const [code] = /\b(?:E|UND_)[A-Z_]+/.exec(message) ?? ['UND_ERR_CONNECT_TIMEOUT'];
    return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
  };

  test.each<[object, string]>([
    [{ url: 'http://127.0.0.1:59999/x' }, 'connect ECONNREFUSED 127.0.0.1:59999'],
    [{ url: 'http://LOCALHOST:59999' }, 'connect ECONNREFUSED 127.0.0.1:59999'],
    [{ url: 'http://[::1]:59999/x' }, 'connect ECONNREFUSED ::1:59999'],
    [{ host: 'localhost', port: 59999 }, 'connect ECONNREFUSED 127.0.0.1:59999'],
    [{ url: 'https://User:pw@no.such.host/x' }, 'getaddrinfo ENOTFOUND no.such.host'],
    [{ command: "curl -s 'https://api.no.such.host.' | head" }, 'getaddrinfo ENOTFOUND api.no.such.host'],
    [{ domain: 'no.such.host' }, 'getaddrinfo ENOTFOUND no.such.host'],
    [{ url: 'http://10.0.0.1' }, 'connect EHOSTUNREACH 10.0.0.1:80 - Local (10.0.0.2:41000)'],
    [{ at: Array(12).fill(0.5), url: 'http://localhost:59999' }, 'connect ECONNREFUSED 127.0.0.1:59999'],
  ])('that names the place which cannot be reached is told so: %j: %s', async (given, message) => {
    expect(await reaching(given, () => Promise.reject(unreached(message)))).toMatchObject({
      fault: 'tool_failed',
      message: `fetch failed: ${message}`,
    });
  });

  test('that names a port where nobody listens is told so', async () => {
    const url = 'http://localhost:59999/x';
    expect(await reaching({ url }, () => fetch(url))).toMatchObject({
      fault: 'tool_failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test.each<[object, Error]>([
    [{}, unreached('connect ECONNREFUSED 127.0.0.1:59999')],
    [{ url: 'http://localhost:3000' }, unreached('connect ECONNREFUSED 127.0.0.1:8080')],
    [{ note: 'My server is localhost' }, unreached('connect ECONNREFUSED 127.0.0.1:8080')],
    [{ query: 'search flights' }, unreached('getaddrinfo ENOTFOUND search')],
    [{ url: 'https://no.such.host.example' }, unreached('getaddrinfo ENOTFOUND such.host')],
    [{ url: 'http://10.0.0.1' }, unreached('read ECONNRESET')],
    [{ url: 'http://10.0.0.1' }, unreached('connect EMFILE 10.0.0.1:80')],
    [{ url: 'http://10.0.0.1' }, unreached('connect ETIMEDOUT 10.0.0.1:80')],
    [{ url: 'http://10.0.0.1' }, unreached('connect ENETUNREACH 10.0.0.1:80 - Local (0.0.0.0:0)')],
    [{ url: 'https://a.host/x' }, unreached('getaddrinfo EAI_AGAIN a.host')],
    [
      { url: 'https://slow.host/x' },
      unreached('Connect Timeout Error (attempted address: slow.host:443, timeout: 10000ms)'),
    ],
    [{ to: 'bob@api.no.such.host' }, unreached('getaddrinfo ENOTFOUND api.no.such.host')],
    [{ price: 127.1, items: 8080 }, unreached('connect ECONNREFUSED 127.0.0.1:8080')],
    [{ url: 'http://10.0.0.1' }, new InfrastructureError('connect ECONNREFUSED 10.0.0.1:80')],
  ])('of which a service of the bundle fails is no message to the model: %j', async (given, thrown) => {
    await expect(reaching(given, () => Promise.reject(thrown))).rejects.toBe(thrown);
  });

  const content = 'The shop is at http://localhost:59999, and its wiki at https://wiki.no.such.host.';
  test.each<[object, string]>([
    [{ url: 'http://localhost:59999/x' }, 'connect ECONNREFUSED 127.0.0.1:59999'],
    [{ url: 'https://wiki.no.such.host/x' }, 'getaddrinfo ENOTFOUND wiki.no.such.host'],
  ])('of which a service fails that the row names is no message to the model: %j', async (given, message) => {
    const row = { initial_messages: [{ role: 'system', content }] };
    await expect(reaching(given, () => Promise.reject(unreached(message)), row)).rejects.toThrow('fetch');
    const other = { url: 'http://localhost:59998' };
    const refused = () => Promise.reject(unreached('connect ECONNREFUSED 127.0.0.1:59998'));
    expect(await reaching(other, refused, row)).toMatchObject({ fault: 'tool_failed' });
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
