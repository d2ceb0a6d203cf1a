import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { localBundleCode, type StoredRow } from '../../src/activities/agent-eval/bundle-code.js';
import { BundleFiles } from '../../src/activities/agent-eval/bundle-files.js';
import { seedDatabase } from '../../src/bundles/seed-database.js';
import type { BundleRow } from '../../src/contracts/bundle.js';
import { BundlePool } from '../../src/workers/bundle-pool.js';
import { flightBundle, REWARD, ROW, TOOLS } from '../bundles/support.js';
import { builtTrial } from '../support/built-trial.js';

/** As it was built: a thread loads no TypeScript of the package. */
const BUILT = pathToFileURL(resolve('dist/workers/bundle-thread.js'));

const limits = { timeoutMs: 20_000 };
const SEARCH = { name: 'search', arguments: '{"day": "2026-03-03"}' };

/** A row of a bundle, with what is asked of its code, and threads for it. */
async function desk(files: Record<string, string> = {}) {
  const pool = new BundlePool({ thread: BUILT, trial: builtTrial });
  onTestFinished(() => pool.close());
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
  const asked = (call: { name: string; arguments: string }) => ({
    before,
    place: { row: { now: row.now }, seed: 'a' },
    call,
  });
  const end = { messages: [], seed: before, database: before, trajectory: null };
  return { pool, row, stored, asked, end };
}

test('a thread runs tools and reward as this process would, and tells the kinds of errors apart', async () => {
  const { pool, row, stored, asked, end } = await desk();
  const [there, here] = [pool.code(), localBundleCode(new BundleFiles())];
  for (const call of [
    SEARCH,
    { name: 'search', arguments: '{"day": 3}' },
    { name: 'nothing', arguments: '{}' },
  ]) {
    const answer = await there.call(stored, asked(call), limits);
    expect(answer).toEqual(await here.call(stored, asked(call), limits));
  }
  expect(await there.judge(stored, end, limits)).toEqual(await here.judge(stored, end, limits));
  expect(await there.tools(stored)).toEqual(await here.tools(stored));
  await expect(there.judge({ row, folder: '/nowhere' }, end, limits)).rejects.toMatchObject({
    name: 'InvalidInputError',
    field: 'datasets',
  });
});

test('every thread runs the modules that the evaluation began with, whenever it loads them', async () => {
  const tools = TOOLS.replace('import {', "import { priced } from './prices.js';\nimport {").replace(
    "fetchAll('SELECT id, price FROM",
    "fetchAll('SELECT id, price ' + priced + ' FROM",
  );
  const helper = (sum: string) => `export const priced = '${sum}';\n`;
  const { pool, stored, asked, end } = await desk({ 'tools.ts': tools, 'prices.ts': helper('+ 1 AS price') });
  const { folder } = stored;
  const begun = pool.code();
  const search = async (code = begun) => (await code.call(stored, asked(SEARCH), limits)).outcome;
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
  const after = Array.from({ length: 12 }, () => search());
  expect(new Set((await Promise.all(after)).map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify(was)]),
  );
  // So does another worker, which was told what that is.
  const elsewhere = pool.code(begunWith);
  for (const code of [begun, elsewhere]) {
    expect(await search(code)).toEqual(was);
    expect(await code.judge(stored, end, limits)).toEqual(rewarded);
    expect(await code.tools(stored)).toEqual(offered);
  }
  // The next evaluation has what is there now.
  const next = pool.code();
  expect(JSON.stringify(await search(next))).toContain('92');
  expect((await next.judge(stored, end, limits)).score).toBe(1);
  expect(JSON.stringify(await next.tools(stored))).toContain('Edited.');
});
