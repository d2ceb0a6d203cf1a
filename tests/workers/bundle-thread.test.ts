import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { localBundleCode, type StoredRow } from '../../src/activities/agent-eval/bundle-code.js';
import { BundleFiles } from '../../src/activities/agent-eval/bundle-files.js';
import { seedDatabase } from '../../src/bundles/seed-database.js';
import type { BundleRow } from '../../src/contracts/bundle.js';
import { BundlePool } from '../../src/workers/bundle-pool.js';
import { flightBundle, ROW } from '../bundles/support.js';

/** As it was built: a thread loads no TypeScript of the package. */
const BUILT = pathToFileURL(resolve('dist/workers/bundle-thread.js'));

test('a thread runs tools and reward as this process would, and tells the kinds of errors apart', async () => {
  const pool = new BundlePool({ thread: BUILT });
  onTestFinished(() => pool.close());
  const row = {
    ...ROW,
    now: '2026-03-02T09:00:00.000Z',
    tools_allowed: null,
    seed_sql:
      "CREATE TABLE flights (id INTEGER, day TEXT, price INTEGER); CREATE TABLE bookings (id TEXT, flight INTEGER, status TEXT); INSERT INTO flights VALUES (1, '2026-03-03', 90);",
  } as unknown as BundleRow;
  const stored: StoredRow = { row, folder: flightBundle() };
  const seeded = await seedDatabase(row);
  const before = seeded.serialize();
  seeded.close();
  const [there, here] = [pool.code(), localBundleCode(new BundleFiles())];
  const limits = { timeoutMs: 20_000 };
  const asked = (call: { name: string; arguments: string }) => ({
    before,
    place: { row: { now: row.now }, seed: 'a' },
    call,
  });
  for (const call of [
    { name: 'search', arguments: '{"day": "2026-03-03"}' },
    { name: 'search', arguments: '{"day": 3}' },
    { name: 'nothing', arguments: '{}' },
  ]) {
    const answer = await there.call(stored, asked(call), limits);
    expect(answer).toEqual(await here.call(stored, asked(call), limits));
  }
  const end = { messages: [], seed: before, database: before, trajectory: null };
  expect(await there.judge(stored, end, limits)).toEqual(await here.judge(stored, end, limits));
  expect(await there.tools(stored)).toEqual(await here.tools(stored));
  await expect(there.judge({ row, folder: '/nowhere' }, end, limits)).rejects.toMatchObject({
    name: 'InvalidInputError',
    field: 'datasets',
  });
});
