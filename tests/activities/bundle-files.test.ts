import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BundleFiles } from '../../src/activities/agent-eval/bundle-files.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { BundleRow } from '../../src/contracts/bundle.js';
import { flightBundle } from '../bundles/support.js';

const rowIn = (folder: string) => ({ folder, row: { id: 'a', toolset: './tools.ts' } as BundleRow });

test('a worker loads the tools and the reward of a row from the bundle’s files, once', async () => {
  const files = new BundleFiles();
  const stored = rowIn(flightBundle());
  const [one, other] = await Promise.all([files.toolset(stored), files.toolset(rowIn(stored.folder))]);
  expect(one).toBe(other);
  expect(one.tools.map(({ name }) => name)).toEqual(['search', 'book', 'pay']);
  expect(await files.reward(stored)).toBe(await files.reward(stored));
});

test('a worker without the files says where they must lie, and looks again', async () => {
  const files = new BundleFiles();
  const folder = flightBundle();
  const [there, away] = [join(folder, 'tools.ts'), join(folder, 'away.ts')];
  renameSync(there, away);
  const failure = await files.toolset(rowIn(folder)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidInputError);
  expect((failure as Error).message).toContain("a: there is no module './tools.ts'");
  expect((failure as Error).message).toContain('must lie at the same path on every worker');
  renameSync(away, there);
  expect((await files.toolset(rowIn(folder))).name).toBe('flight_tools');
});
