import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkBundle } from '../../../../src/kinds/agent-eval/bundles/check.js';
import type { BundleRow } from '../../../../src/kinds/agent-eval/bundles/contracts.js';
import { FLIGHT_ROW, flightBundle, type OddParts, SEED } from './flight.js';
import { bundleFolder } from './support.js';

async function findings(rows: Partial<BundleRow>[], odd: Partial<OddParts> = {}, seedFile?: string) {
  const toolsFile = join(bundleFolder({ 'tools.ts': '' }), 'tools.ts');
  const report = await checkBundle(flightBundle(rows, odd, { toolsFile, seedFile }));
  return report.findings.map(({ severity, field, message }) => `${severity} ${field}: ${message}`);
}

test('a sound row is proven solvable, and there is nothing to say', async () => {
  const report = await checkBundle(flightBundle());
  expect(report).toMatchObject({ rows: 1, with_oracle: 1, proven_solvable: 1, findings: [] });
  expect(report.tools).toEqual({ flight_tools: ['search', 'book', 'pay'] });
});

test('a row without an oracle is sound, but not proven', async () => {
  const report = await checkBundle(flightBundle([{ oracle: null }]));
  expect(report).toMatchObject({ rows: 1, with_oracle: 0, proven_solvable: 0, findings: [] });
});

test('rows can be picked', async () => {
  const bundle = flightBundle([{}, { id: 'broken', end_goal_sql: 'SELEC' }]);
  expect(await checkBundle(bundle, [FLIGHT_ROW.id])).toMatchObject({ rows: 1, findings: [] });
});

test('a finding names file, line and row', async () => {
  const bundle = flightBundle([{}, { id: 'second', end_goal_sql: 'SELEC', oracle: null }]);
  expect((await checkBundle(bundle)).findings).toContainEqual({
    severity: 'error',
    file: '/flights/task.jsonl',
    line: 2,
    row: 'second',
    field: 'end_goal_sql',
    message: 'near "SELEC": syntax error',
  });
});

const reserved = (FLIGHT_ROW.oracle ?? []).slice(0, 2);
const paying = (booking_id: string) => [{ tool: 'pay', arguments: { booking_id } }];

describe('what makes a row’s figure worthless is an error', () => {
  test.each<[string, Partial<BundleRow>, Partial<OddParts>, string]>([
    [
      'a seed that does not run',
      { seed_sql: `${SEED}INSERT INTO hotels VALUES (1);` },
      {},
      'seed_sql: line 4: no such table: hotels',
    ],
    [
      'a seed that reaches out',
      { seed_sql: "ATTACH 'x.db' AS x" },
      {},
      'seed_sql: line 1: ATTACH, DETACH and VACUUM are refused',
    ],
    [
      'a seed that never ends',
      { seed_sql: 'BEGIN; CREATE TABLE a (x)' },
      {},
      'seed_sql: line 1: a transaction was begun',
    ],
    [
      'a goal without a table',
      { end_goal_sql: 'SELECT 1 FROM paid' },
      {},
      'end_goal_sql: no such table: paid',
    ],
    [
      'a goal that writes',
      { end_goal_sql: 'DELETE FROM flights' },
      {},
      'end_goal_sql: this statement writes',
    ],
    [
      'a goal that is a text',
      { end_goal_sql: "SELECT 'yes'" },
      {},
      'end_goal_sql: a goal must come to true or false',
    ],
    [
      'a reward of NaN',
      {},
      { reward: () => ({ score: Number.NaN }) },
      ": the reward's answer is no { score, reason, metrics }: score: must be a finite number, not NaN",
    ],
    [
      'an oracle with a wrong call',
      { oracle: [{ tool: 'book', arguments: { flight: 'x' } }] },
      {},
      'oracle[0]: book failed: the arguments are not right: flight: must be a number',
    ],
    ['an oracle that is refused', { oracle: paying('7') }, {}, 'oracle[0]: pay failed: no such booking'],
    [
      'an oracle that asks for what is not there',
      { oracle: paying('{{result.0.id}}') },
      {},
      'oracle[0]: {{result.0.id}}: action 0 has no such answer',
    ],
    ['an oracle that does not finish', { oracle: reserved }, {}, 'oracle: does not reach end_goal_sql'],
    [
      'an oracle that the reward does not like',
      { oracle: reserved },
      {},
      'oracle: gets a reward of 0: not done',
    ],
    [
      'a tool that says it only reads',
      {},
      { payReadOnly: true },
      'oracle[2]: pay failed: this statement writes, and the database is open for reading only',
    ],
    [
      'a server that is unreachable',
      {},
      {
        pay: () => {
          throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        },
      },
      ': could not be checked: connect',
    ],
  ])('%s', async (_name, fields, odd, message) => {
    const found = await findings([fields], odd);
    expect(
      found.find((line) => line.startsWith(`error ${message}`)),
      found.join('\n'),
    ).toBeDefined();
    expect(await checkBundle(flightBundle([fields], odd))).toMatchObject({ proven_solvable: 0 });
  });

  test('a reward that throws is said once', async () => {
    const reward = () => {
      throw new Error('oh');
    };
    expect(await findings([{}], { reward })).toEqual(['error : the reward failed: oh']);
  });

  test('a fault of a seed names its file', async () => {
    const [found] = await findings([{ seed_sql: `${SEED}nonsense` }], {}, 'seed.sql');
    expect(found).toBe('error seed_sql: seed.sql line 4: near "nonsense": syntax error');
  });
});

describe('what is to be looked at is a warning', () => {
  const always = 'SELECT COUNT(*) >= 0 FROM bookings';
  let dice = 0;
  test.each<[string, Partial<BundleRow>, Partial<OddParts>, string]>([
    ['a goal that already holds', { end_goal_sql: always }, {}, 'end_goal_sql: already holds in the seed'],
    [
      'a row that doing nothing passes',
      { end_goal_sql: always },
      {},
      ': an agent that does nothing gets the full reward (1)',
    ],
    [
      'a goal that no tool can change',
      { end_goal_sql: 'SELECT COUNT(*) > 9 FROM flights' },
      {},
      'end_goal_sql: reads flights, which no tool was seen to write',
    ],
    ['a goal that reads nothing', { end_goal_sql: 'SELECT 0' }, {}, 'end_goal_sql: reads no table'],
    [
      'a pragma that only tunes a file',
      { seed_sql: `PRAGMA journal_mode=WAL;\n${SEED}` },
      {},
      'seed_sql: line 1: PRAGMA journal_mode is left out: it only tunes a file',
    ],
    [
      'a seed with orphans',
      { seed_sql: `${SEED}INSERT INTO bookings VALUES ('x', 9, '');` },
      {},
      'seed_sql: 1 rows of bookings refer to rows of flights that are not there',
    ],
    ['more actions than turns', { max_turns: 2 }, {}, 'max_turns: is 2, and the oracle acts 3 times'],
    [
      'a tool that rolls its own dice',
      {},
      {
        bookingId: async () => {
          dice += 1;
          return `b${dice}`;
        },
      },
      'oracle: comes to another database each time',
    ],
  ])('%s', async (_name, fields, odd, message) => {
    const found = await findings([fields], odd);
    expect(
      found.find((line) => line.startsWith(`warning ${message}`)),
      found.join('\n'),
    ).toBeDefined();
  });

  test('a table that only a helper or a trigger writes counts as written', async () => {
    const row = {
      seed_sql: `${SEED}CREATE TABLE audit (x);`,
      end_goal_sql: 'SELECT COUNT(*) > 0 FROM audit',
      oracle: null,
    };
    expect(await findings([row])).toHaveLength(1);
    const folder = bundleFolder({
      'helpers/audit.ts': "export const AUDIT = 'insert or ignore into Audit values (1)';",
    });
    const helped = await checkBundle(flightBundle([row], {}, { toolsFile: join(folder, 'tools.ts') }));
    expect(helped.findings).toEqual([]);
    const trigger = 'CREATE TRIGGER t AFTER INSERT ON bookings BEGIN INSERT INTO audit VALUES (1); END;';
    expect(await findings([{ ...row, seed_sql: `${row.seed_sql}${trigger}`, oracle: reserved }])).toEqual([]);
  });
});
