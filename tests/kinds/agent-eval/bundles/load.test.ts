import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../../src/config/errors.js';
import { BundleError, loadBundle } from '../../../../src/kinds/agent-eval/bundles/load.js';
import { bundleFolder, flightBundle, NOW, REWARD, ROW, SEED, TOOLS } from './support.js';

const load = (path: string) => loadBundle(path, { now: NOW });

async function faultsOf(path: string) {
  const error = await load(path).then(
    () => expect.fail('the bundle is sound'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BundleError);
  expect(error).toBeInstanceOf(InvalidInputError);
  return (error as BundleError).faults;
}

describe('a bundle', () => {
  test('is loaded with its seed, its dates written out, and every default', async () => {
    const { id, seed_sql, initial_messages, toolset } = ROW;
    const small = {
      id: 'small',
      seed_sql: 'CREATE TABLE a (x)',
      initial_messages,
      toolset,
      metadata: { on: ['{{today}}'] },
    };
    const folder = flightBundle([{ ...ROW, now: '2027-01-31' }, small]);
    const { rows, file, reward } = await load(folder);
    expect(file).toBe(join(folder, 'task.jsonl'));
    expect(rows.map(({ line, seedFile }) => [line, seedFile])).toEqual([
      [1, 'seed.sql'],
      [2, null],
    ]);
    expect(rows[0]?.row).toEqual({
      ...ROW,
      seed_sql: SEED.replaceAll('{{today+1}}', '2027-02-01').replaceAll('{{today+2}}', '2027-02-02'),
      initial_messages: [{ role: 'user', content: 'Book me the cheapest flight on Monday, 2027-02-01.' }],
      now: '2027-01-31T00:00:00.000Z',
      max_turns: 30,
      stop_at_goal: false,
      tools_allowed: null,
      metadata: {},
      oracle: [{ tool: 'search', arguments: { day: '2027-02-01' } }, ...ROW.oracle.slice(1)],
    });
    expect(rows[1]?.row).toEqual({
      ...small,
      initial_messages: [{ role: 'user', content: 'Book me the cheapest flight on Tuesday, 2026-03-03.' }],
      end_goal_sql: null,
      sim_user_prompt: null,
      n_rollouts: 1,
      max_turns: 30,
      stop_at_goal: false,
      tools_allowed: null,
      metadata: { on: ['2026-03-02'] },
      oracle: null,
      now: NOW,
    });
    expect([id, seed_sql]).toEqual(['flight.booking.001', 'file:seed.sql']);
    expect(rows[0]?.registry).toBe(rows[1]?.registry);
    expect(rows[0]?.registry.tools.map(({ name }) => name)).toEqual(['search', 'book', 'pay']);
    expect(reward).toBeTypeOf('function');
  });

  test('is loaded where a row’s metadata has a NaN, as Python writes it', async () => {
    const folder = flightBundle([ROW]);
    const row = JSON.stringify({ ...ROW, metadata: { level: 'nothing' } }).replace('"nothing"', 'NaN');
    writeFileSync(join(folder, 'task.jsonl'), row);
    expect((await load(folder)).rows[0]?.row.metadata).toEqual({ level: null });
  });

  test('is loaded from another dataset of its folder', async () => {
    const folder = flightBundle([ROW], { 'hard.jsonl': [{ ...ROW, id: 'hard' }] });
    expect((await load(join(folder, 'hard.jsonl'))).rows.map(({ row }) => row.id)).toEqual(['hard']);
  });

  test('may keep its tools in a folder, with helpers, and wait at the top of a module', async () => {
    const helper = 'export const day = (text: string): string => text.trim();\nawait Promise.resolve();';
    const folder = flightBundle([{ ...ROW, toolset: 'tools' }], {
      'tools/index.ts': TOOLS.replace('({ day }, { db })', '({ day: given }, { db })')
        .replace('{ day }));', '{ day: day(given) }));')
        .replace('export const', "import { day } from './helpers/day.ts';\nexport const"),
      'tools/helpers/day.ts': helper,
    });
    rmSync(join(folder, 'tools.ts'));
    expect((await load(folder)).rows[0]?.registry.name).toBe('flight_tools');
  });

  test('is loaded anew when a helper of it has changed', async () => {
    const folder = flightBundle([ROW], {
      'tools.ts': TOOLS.replace("'flight_tools'", 'NAME').replace(
        'export',
        "import { NAME } from './name.ts';\nexport",
      ),
      'name.ts': "export const NAME = 'first';",
    });
    const name = async () => (await load(folder)).rows[0]?.registry.name;
    expect(await name()).toBe('first');
    writeFileSync(join(folder, 'name.ts'), "export const NAME = 'second';");
    utimesSync(join(folder, 'name.ts'), new Date(), new Date(Date.now() + 5000));
    expect(await name()).toBe('second');
  });
});

describe('a toolset is found', () => {
  test.each(['tools', './tools.ts', './tools', 'tools.ts'])('in the bundle as %s', async (toolset) => {
    expect((await load(flightBundle([{ ...ROW, toolset }]))).rows).toHaveLength(1);
  });

  test('by the name of its folder', async () => {
    const folder = flightBundle([]);
    const toolset = `${basename(folder)}.tools`;
    writeFileSync(join(folder, 'task.jsonl'), JSON.stringify({ ...ROW, toolset }));
    expect((await load(folder)).rows).toHaveLength(1);
  });

  test('in a copy that has another name, beside the bundle that it is of', async () => {
    const parent = bundleFolder({
      'flight/tools.ts': TOOLS,
      'copy/tools.ts': TOOLS.replace("'flight_tools'", "'copied_tools'"),
      'copy/task.jsonl': [{ ...ROW, seed_sql: '', toolset: 'flight.tools' }],
      'copy/reward.ts': REWARD,
    });
    expect((await load(join(parent, 'copy'))).rows[0]?.registry.name).toBe('copied_tools');
  });

  test.each(['flight.tools', '../flight/tools.ts', '../flight/tools', './lib/../../flight/tools.ts'])(
    'never in the folder beside, as %s',
    async (toolset) => {
      const parent = bundleFolder({
        'flight/tools.ts': TOOLS,
        'other/task.jsonl': [{ ...ROW, seed_sql: '', toolset }],
        'other/reward.ts': REWARD,
      });
      const [fault] = await faultsOf(join(parent, 'other'));
      expect(fault).toMatchObject({
        field: 'toolset',
        message: expect.stringContaining('leads out of the bundle'),
      });
      expect(fault?.message).toContain(join(parent, 'flight/tools'));
    },
  );
});

const ASKS = { role: 'user', content: 'Which flights are there?' };
const CALLS = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', name: 'search', arguments: { day: '{{today}}' } }],
};
const ANSWERS = { role: 'tool', tool_call_id: 'c1', content: '[{"id": 1, "note": "{{name}} {{today}}"}]' };

test('a row may begin with calls that were made, in either form', async () => {
  const called = { name: 'search', arguments: '{"day": "{{today}}"}' };
  const asOpenAI = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: called }],
  };
  const load = async (message: object) => {
    const folder = flightBundle([{ ...ROW, now: '2026-03-02', initial_messages: [ASKS, message, ANSWERS] }]);
    return (await loadBundle(folder, { now: NOW })).rows[0]?.row.initial_messages;
  };
  for (const [message, written] of [
    [CALLS, '{"day":"2026-03-02"}'],
    [asOpenAI, '{"day": "2026-03-02"}'],
  ] as const) {
    expect(await load(message)).toEqual([
      ASKS,
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'search', arguments: written }] },
      { role: 'tool', tool_call_id: 'c1', content: '[{"id": 1, "note": "{{name}} 2026-03-02"}]' },
    ]);
  }
});

test('calls of several turns that have one id get ids of their own, and so do their answers', async () => {
  const calling = (...ids: string[]) => ({
    ...CALLS,
    content: '',
    tool_calls: ids.map((id) => ({ id, name: 'search', arguments: '{}' })),
  });
  const answer = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: tool_call_id });
  const initial_messages = [
    ...[ASKS, calling('c0', 'c1'), answer('c1'), answer('c0')],
    ...[calling('c0'), answer('c0'), calling('c0_2', 'c0'), answer('c0_2'), answer('c0'), ASKS],
  ];
  const folder = flightBundle([{ ...ROW, initial_messages }]);
  const [loaded] = (await loadBundle(folder, { now: NOW })).rows;
  const ids = loaded?.row.initial_messages.map(
    ({ tool_calls, tool_call_id }) => tool_calls?.map(({ id }) => id) ?? tool_call_id,
  );
  expect(ids).toEqual([
    ...[undefined, ['c0', 'c1'], 'c1', 'c0'],
    ...[['c0_2'], 'c0_2', ['c0_2_2', 'c0_3'], 'c0_2_2', 'c0_3', undefined],
  ]);
});

test('a row may begin with the greeting of the assistant where a user answers it', async () => {
  const initial_messages = [{ role: 'assistant', content: 'How can I help?' }];
  const folder = flightBundle([{ ...ROW, initial_messages, sim_user_prompt: 'You are Alice.' }]);
  expect((await loadBundle(folder, { now: NOW })).rows[0]?.row.initial_messages).toEqual(initial_messages);
});

describe('a wrong row is named with its line, id and field', () => {
  const { toolset: _toolset, ...withoutToolset } = ROW;
  test.each<[string, object, string, string]>([
    [
      'an unknown field',
      { ...ROW, end_goals_sql: 'x' },
      'end_goals_sql',
      "unknown field 'end_goals_sql', did you mean 'end_goal_sql'?",
    ],
    ['no toolset', withoutToolset, 'toolset', 'is missing; it must be a string'],
    ['no messages', { ...ROW, initial_messages: [] }, 'initial_messages', 'must have at least 1 entry'],
    [
      'an odd role',
      { ...ROW, initial_messages: [{ role: 'function', content: 'x' }] },
      'initial_messages[0].role',
      'allowed: system, user, assistant, tool',
    ],
    [
      'no content',
      { ...ROW, initial_messages: [{ role: 'user' }] },
      'initial_messages[0]',
      'content is missing',
    ],
    [
      'a blank message of the user',
      { ...ROW, initial_messages: [ASKS, { role: 'user', content: ' \n' }] },
      'initial_messages[1]',
      'content is blank',
    ],
    [
      'a last message that nobody answers',
      {
        ...ROW,
        sim_user_prompt: null,
        initial_messages: [ASKS, { role: 'assistant', content: 'Which day?' }],
      },
      'initial_messages',
      'nobody speaks after the last message',
    ],
    [
      'two calls with one id',
      {
        ...ROW,
        initial_messages: [
          ASKS,
          { ...CALLS, tool_calls: [...CALLS.tool_calls, ...CALLS.tool_calls] },
          ANSWERS,
        ],
      },
      'initial_messages[1]',
      'has two calls with the id c1',
    ],
    [
      'an answer to no call',
      { ...ROW, initial_messages: [ASKS, { role: 'tool', tool_call_id: 'c2', content: 'x' }] },
      'initial_messages[1]',
      'answers no call c2',
    ],
    [
      'an answer without its call',
      { ...ROW, initial_messages: [ASKS, { role: 'tool', content: 'x' }] },
      'initial_messages[1]',
      'a tool message names its call',
    ],
    [
      'a call without an answer',
      { ...ROW, initial_messages: [ASKS, CALLS, ASKS] },
      'initial_messages[1]',
      'the call c1 has no answer',
    ],
    [
      'a call of no tool',
      { ...ROW, initial_messages: [ASKS, { ...CALLS, tool_calls: [{ id: 'c1', name: 'serch' }] }, ANSWERS] },
      'initial_messages[1].tool_calls',
      "did you mean 'search'?",
    ],
    [
      'a call of the user',
      { ...ROW, initial_messages: [{ ...CALLS, role: 'user' }, ANSWERS] },
      'initial_messages[0]',
      'a user message has no tool_calls',
    ],
    ['an id with a slash', { ...ROW, id: 'a/b' }, 'id', 'it names a folder'],
    ['an id that climbs', { ...ROW, id: '..' }, 'id', 'it names a folder'],
    ['no rollouts', { ...ROW, n_rollouts: 0 }, 'n_rollouts', 'must be at least 1, not 0'],
    ['half a turn', { ...ROW, max_turns: 1.5 }, 'max_turns', 'must be a whole number, not 1.5'],
    [
      'an end at no goal',
      { ...ROW, stop_at_goal: true, end_goal_sql: null },
      'stop_at_goal',
      'needs end_goal_sql, which says when the goal is reached',
    ],
    ['a wrong time', { ...ROW, now: 'soon' }, 'now', '"soon" is no time; write 2026-03-02'],
    ['a missing seed', { ...ROW, seed_sql: 'file:seeds.sql' }, 'seed_sql', 'there is no file seeds.sql in'],
    [
      'a seed outside',
      { ...ROW, seed_sql: 'file:../seed.sql' },
      'seed_sql',
      'must name a file within the bundle',
    ],
    [
      'a seed anywhere',
      { ...ROW, seed_sql: 'file:/etc/hostname' },
      'seed_sql',
      'must name a file within the bundle',
    ],
    [
      'an unknown date',
      { ...ROW, end_goal_sql: "SELECT '{{tomorrow}}'" },
      'end_goal_sql',
      '{{tomorrow}} is not known',
    ],
    [
      'one in a message',
      { ...ROW, initial_messages: [{ role: 'user', content: '{{x}}' }] },
      'initial_messages[0].content',
      '{{x}} is not known',
    ],
    [
      'nobody speaks',
      { ...ROW, sim_user_prompt: null, initial_messages: [{ role: 'system', content: 'x' }] },
      'initial_messages',
      'no message of the user',
    ],
    [
      'a tool that is none',
      { ...ROW, tools_allowed: ['serch'] },
      'tools_allowed[0]',
      "flight_tools has no tool 'serch'; did you mean 'search'?",
    ],
    [
      'an oracle with one',
      { ...ROW, oracle: [{ tool: 'cancel_everything', arguments: {} }] },
      'oracle[0].tool',
      "flight_tools has no tool 'cancel_everything'; there are search, book, pay",
    ],
    [
      'an oracle with a forbidden one',
      { ...ROW, tools_allowed: ['search'] },
      'oracle[1].tool',
      "'book' is not in tools_allowed",
    ],
    [
      'an action that is none',
      { ...ROW, oracle: [{ say: 'x', tool: 'book' }] },
      'oracle[0]',
      'must be {"tool": "…", "arguments": {…}} or {"say": "…"}',
    ],
    [
      'no toolset there',
      { ...ROW, toolset: 'hotel.desk' },
      'toolset',
      "there is no module 'hotel.desk'; looked for",
    ],
    ['a toolset of odd letters', { ...ROW, toolset: 'a b.tools' }, 'toolset', "'a b.tools' is no toolset"],
  ])('%s', async (_name, row, field, message) => {
    const folder = flightBundle([{ ...ROW, id: 'sound' }, row]);
    const faults = await faultsOf(folder);
    expect(faults).toContainEqual({
      file: join(folder, 'task.jsonl'),
      line: 2,
      row: (row as { id: string }).id,
      field,
      message: expect.stringContaining(message),
    });
  });

  test('and all of them are named at once, a line each', async () => {
    const folder = flightBundle([{ ...ROW, max_turns: 0, now: 'x' }, { ...ROW }, { id: 'c' }]);
    const error = (await load(folder).catch((thrown: unknown) => thrown)) as BundleError;
    const file = join(folder, 'task.jsonl');
    expect(error.message.split('\n')).toEqual([
      `${file} line 1 (flight.booking.001): max_turns: must be at least 1, not 0`,
      `${file} line 2 (flight.booking.001): id: is taken: line 1 has it too`,
      `${file} line 3 (c): initial_messages: is missing; it must be a list`,
      `${file} line 3 (c): toolset: is missing; it must be a string`,
    ]);
  });
});

describe('a wrong file is named', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a line that is no JSON', { 'task.jsonl': `\n{"id": ` }, 'task.jsonl line 2: is no JSON'],
    ['a row that is a list', { 'task.jsonl': '[]' }, 'task.jsonl line 1: a row must be a mapping, not []'],
    ['no rows', { 'task.jsonl': '\n' }, 'task.jsonl: there are no rows'],
    ['tools that cannot be compiled', { 'tools.ts': 'export const {' }, 'toolset: tools.ts cannot be loaded'],
    [
      'tools that throw',
      { 'tools.ts': TOOLS.replace("'Pay.'", "''") },
      'flight_tools.pay: description is missing',
    ],
    [
      'tools without a registry',
      { 'tools.ts': 'export const tools = [];' },
      'tools.ts exports no ToolRegistry: write',
    ],
    [
      'two registries',
      { 'tools.ts': `${TOOLS} export const more = new ToolRegistry('more');` },
      'exports 2 of them',
    ],
    [
      'an empty registry',
      { 'tools.ts': "import { ToolRegistry } from 'reprise/bundle';\nexport default new ToolRegistry('t');" },
      'the registry t of tools.ts has no tools',
    ],
    [
      'a reward that is a bare function',
      { 'reward.ts': 'export default () => 1;' },
      'reward.ts exports no reward: write export default defineReward',
    ],
    [
      'a reward that imports nothing there',
      { 'reward.ts': "import './missing.js';" },
      'reward.ts cannot be loaded',
    ],
  ])('%s', async (_name, files, message) => {
    const error = await load(flightBundle([ROW], files)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BundleError);
    expect((error as BundleError).message).toContain(message);
  });

  test('no reward, no dataset, no folder', async () => {
    const bare = bundleFolder({ 'task.jsonl': [ROW], 'tools.ts': TOOLS, 'seed.sql': SEED });
    await expect(load(bare)).rejects.toThrow(`there is no reward.ts in ${bare}`);
    await expect(load(bundleFolder({}))).rejects.toThrow('there is no task.jsonl');
    await expect(load('/no/such/bundle')).rejects.toThrow('/no/such/bundle: there is no such folder or file');
  });
});

describe('a module that is tried before', () => {
  test('is not loaded where it did not come to its end', async () => {
    const loaded = '(globalThis as Record<string, unknown>).wasLoaded = true;';
    const folder = flightBundle([ROW], { 'tools.ts': `${loaded}${TOOLS}` });
    const tried: string[] = [];
    const trial = async (path: string) => {
      tried.push(basename(path));
      return basename(path) === 'tools.ts' ? 'was not loaded within 60 s' : null;
    };
    const error = await loadBundle(folder, { now: NOW, trial }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      faults: [{ row: ROW.id, field: 'toolset', message: 'tools.ts was not loaded within 60 s' }],
    });
    expect(globalThis).not.toHaveProperty('wasLoaded');
    expect(tried).toEqual(['tools.ts', 'reward.ts']);
  });

  test('is tried again only where it, or what it imports, was edited', async () => {
    const folder = flightBundle();
    const tried: string[] = [];
    const trial = async (path: string) => {
      tried.push(basename(path));
      return null;
    };
    await loadBundle(folder, { now: NOW, trial });
    await loadBundle(folder, { now: NOW, trial });
    expect(tried).toEqual(['tools.ts', 'reward.ts']);
    writeFileSync(join(folder, 'reward.ts'), REWARD.replace('score: 0', 'score: 1'));
    await loadBundle(folder, { now: NOW, trial });
    expect(tried.slice(2)).toEqual(['reward.ts']);
  });
});
