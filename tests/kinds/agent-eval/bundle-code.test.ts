import { renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InvalidInputError } from '../../../src/config/errors.js';
import { InfrastructureError } from '../../../src/contracts/infrastructure-error.js';
import {
  bundleCodeIn,
  judgeRow,
  moduleTrial,
  runTool,
  type StoredRow,
} from '../../../src/kinds/agent-eval/bundle-code.js';
import type { BundleRow } from '../../../src/kinds/agent-eval/bundles/contracts.js';
import { ToolRegistry, z } from '../../../src/kinds/agent-eval/bundles/index.js';
import { seedDatabase } from '../../../src/kinds/agent-eval/bundles/seed-database.js';
import { codeOf } from '../../../src/user-code/code.js';
import { CodeEndedError } from '../../../src/user-code/code-pool.js';
import { builtPool, codeIn } from '../../support/built-code.js';
import { userFile } from '../../support/user-file.js';
import { flightBundle, REWARD, ROW, TOOLS } from './bundles/support.js';

const limits = { timeoutMs: 20_000 };
const SEARCH = { name: 'search', arguments: '{"day": "2026-03-03"}' };

const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

/** A row of a bundle, with what is asked of its code, and threads for it. */
async function desk(files: Record<string, string> = {}) {
  const pool = builtPool();
  const row = {
    ...ROW,
    now: '2026-03-02T09:00:00.000Z',
    tools_allowed: null,
    seed_sql:
      "CREATE TABLE flights (id INTEGER, day TEXT, price INTEGER); CREATE TABLE bookings (id TEXT, flight INTEGER, status TEXT); INSERT INTO flights VALUES (1, '2026-03-03', 90);",
  } as unknown as BundleRow;
  const stored: StoredRow = { row, folder: flightBundle([ROW], files) };
  const seeded = await seedDatabase(row);
  const before = seeded.serialize();
  seeded.close();
  const asked = (call = SEARCH) => ({ before, place: { row: { now: row.now }, seed: 'a' }, call });
  const end = { messages: [], seed: before, database: before, trajectory: null };
  return { pool, row, stored, asked, end };
}

test('a thread runs tools and reward as this process would, and tells the kinds of errors apart', async () => {
  const { pool, row, stored, asked, end } = await desk();
  const there = bundleCodeIn(codeIn(pool));
  for (const call of [
    SEARCH,
    { name: 'search', arguments: '{"day": 3}' },
    { name: 'nothing', arguments: '{}' },
  ]) {
    expect(await there.call(stored, asked(call), limits)).toEqual(await runTool(stored, asked(call), limits));
  }
  expect(await there.judge(stored, end, limits)).toEqual(await judgeRow(stored, end));
  expect((await there.tools(stored)).map(({ name }) => name)).toEqual(['search', 'book', 'pay']);
  await expect(there.judge({ row, folder: '/nowhere' }, end, limits)).rejects.toMatchObject({
    name: 'InvalidInputError',
    field: 'datasets',
  });
});

test.each([
  ['for (;;);', 1000, 'NAMED computed for longer than 1 s without a pause; its thread was ended', true],
  ['await new Promise(() => {});', 4000, 'SHORT did not answer within 4 s', false],
  ['process.exit(3);', 20_000, 'the thread of NAMED ended: worker exited with code: 3', true],
])(
  'a tool and a reward that do not end (%s) are errors of the infrastructure',
  async (line, timeoutMs, said, isFinal) => {
    const { pool, stored, asked, end } = await desk({
      'tools.ts': TOOLS.replace(/\(\{ day \}, .*/, `async () => { ${line} });`),
      'reward.ts': REWARD.replace('() => ({ score: 0 })', `async () => { ${line} return { score: 0 }; }`),
    });
    const code = bundleCodeIn(codeIn(pool));
    const ended = [
      [
        failureOf(code.call(stored, asked(), { timeoutMs })),
        'the tool search',
        `${stored.row.toolset} in ${stored.folder}`,
      ],
      [failureOf(code.judge(stored, end, { timeoutMs })), 'the reward', `reward in ${stored.folder}`],
    ] as const;
    for (const [work, short, place] of ended) {
      const error = (await work) as Error;
      expect(error).toBeInstanceOf(InfrastructureError);
      expect(error.message).toBe(
        said.replace('NAMED', `${short} of ${stored.row.id} (${place})`).replace('SHORT', short),
      );
      // It had a thread to itself, so there is no use in doing it again.
      expect(error.cause instanceof CodeEndedError).toBe(isFinal);
    }
  },
);

test('a tool that reaches nobody where the row names somebody is an error of the infrastructure', async () => {
  const { stored, asked } = await desk();
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:59999'), { code: 'ECONNREFUSED' });
  const tools = new ToolRegistry('web');
  const parameters = z.object({ url: z.string() });
  tools.tool('open', { description: 'Open.', parameters }, () => Promise.reject(refused));
  const call = { name: 'open', arguments: '{"url": "http://127.0.0.1:59999/cart"}' };
  const { outcome } = await runTool(stored, asked(call), limits, tools);
  expect(outcome).toMatchObject({ fault: 'tool_failed' });
  const row = { ...stored.row, sim_user_prompt: 'You buy a hat at http://127.0.0.1:59999.' };
  await expect(runTool({ ...stored, row }, asked(call), limits, tools)).rejects.toBe(refused);
});

test('a worker without the files says where they must lie, and looks again', async () => {
  const { pool, stored } = await desk();
  const [there, unreachable] = ['tools.ts', 'away.ts'].map((name) => join(stored.folder, name)) as [
    string,
    string,
  ];
  renameSync(there, unreachable);
  const failure = await bundleCodeIn(codeIn(pool))
    .tools(stored)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidInputError);
  expect((failure as Error).message).toMatch(
    /there is no module .*must lie at the same path on every worker/,
  );
  renameSync(unreachable, there);
  expect(await bundleCodeIn(codeIn(pool)).tools(stored)).toHaveLength(3);
});

test('every thread runs the modules that the evaluation began with, whenever it loads them', async () => {
  const tools = TOOLS.replace('import {', "import { priced } from './prices.js';\nimport {").replace(
    "fetchAll('SELECT id, price FROM",
    "fetchAll('SELECT id, price ' + priced + ' FROM",
  );
  const helper = (sum: string) => `export const priced = '${sum}';\n`;
  const { pool, stored, asked, end } = await desk({ 'tools.ts': tools, 'prices.ts': helper('+ 1 AS price') });
  const { folder } = stored;
  const begun = bundleCodeIn(codeIn(pool));
  const search = async (code = begun) => (await code.call(stored, asked(), limits)).outcome;
  const [was, rewarded, offered] = [
    await search(),
    await begun.judge(stored, end, limits),
    await begun.tools(stored),
  ];
  expect([JSON.stringify(was), rewarded.score]).toEqual([expect.stringContaining('91'), 0]);

  const begunWith = new Map([
    [join(folder, 'tools.ts'), tools],
    [join(folder, 'prices.ts'), helper('+ 1 AS price')],
    [join(folder, 'reward.ts'), REWARD],
  ]);
  await writeFile(join(folder, 'prices.ts'), helper('+ 2 AS price'));
  await writeFile(join(folder, 'reward.ts'), REWARD.replace('score: 0', 'score: 1'));
  await writeFile(join(folder, 'tools.ts'), tools.replace('Flights of a day.', 'Edited.'));
  // So many that each thread has to do with one.
  for (const after of await Promise.all(Array.from({ length: 12 }, () => search())))
    expect(after).toEqual(was);
  // So does another worker, which was told what that is.
  for (const code of [begun, bundleCodeIn(codeIn(pool), codeOf(begunWith))]) {
    expect(await search(code)).toEqual(was);
    expect(await code.judge(stored, end, limits)).toEqual(rewarded);
    expect(await code.tools(stored)).toEqual(offered);
  }
  // The next evaluation has what is there now.
  const next = bundleCodeIn(codeIn(pool));
  expect(JSON.stringify(await search(next))).toContain('92');
  expect((await next.judge(stored, end, limits)).score).toBe(1);
  expect(JSON.stringify(await next.tools(stored))).toContain('Edited.');
});

test.each([
  ['computes without end', 'for (;;);', 1000, 'was not loaded within 1 s'],
  [
    'ends its process',
    'process.exit(3);',
    20_000,
    'ended the thread that it was tried in: worker exited with code: 3',
  ],
  ['throws', "throw new Error('no licence');", 20_000, null],
  ['does nothing of the kind', '', 20_000, null],
])('of a module that %s, what did not come to its end is told', async (_what, line, timeoutMs, fault) => {
  const source = `import { ToolRegistry } from 'reprise/bundle';\n${line}\nexport const tools = new ToolRegistry('t');\n`;
  const file = await userFile('own.ts', source);
  const code = codeOf(new Map([[file, source]]));
  expect(await moduleTrial(builtPool(), timeoutMs)(file, code)).toBe(fault);
});
