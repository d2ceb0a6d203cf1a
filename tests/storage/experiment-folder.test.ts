import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { agentEvalConfigs } from '../../src/kinds/agent-eval/config.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import { foundFolder, THE_ROWS } from '../../src/storage/experiment-folder.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { endRetry, writeRetry } from '../../src/storage/retry-marker.js';
import { agentEvalConfigWith } from '../config/agent-eval-support.js';
import { configOf, folderWith } from '../support/configs.js';

const run = configOf();
const evaluation = agentEvalConfigWith();

/** A folder of results with one experiment's files. */
async function folder(config: unknown, metrics?: object) {
  const store = openStore(join(folderWith(), 'it'));
  if (config !== undefined) await store.write(artifactKeys.config, stringify(config));
  if (metrics !== undefined) await store.write(artifactKeys.metrics, JSON.stringify(metrics));
  return store;
}

describe('the folder of a name', () => {
  test.each<[string, unknown, object | undefined, string, string]>([
    ['nothing', undefined, undefined, 'absent', 'absent'],
    ['an unfinished run', run, undefined, 'unfinished', 'taken'],
    ['an unfinished evaluation', evaluation, undefined, 'taken', 'unfinished'],
    ['a stopped evaluation', evaluation, { status: 'stopped' }, 'taken', 'unfinished'],
    ['a finished run', run, { status: 'done' }, 'taken', 'taken'],
    ['a finished evaluation', evaluation, { status: 'done' }, 'taken', 'taken'],
    ['what ended without its files', undefined, { status: 'failed' }, 'absent', 'absent'],
    ['metrics of what is done alone', undefined, { status: 'done' }, 'taken', 'taken'],
    ['another run', configOf({ seed: 3 }), undefined, 'taken', 'taken'],
    ['another evaluation', agentEvalConfigWith({ seed: 3 }), undefined, 'taken', 'taken'],
  ])('with %s', async (_what, config, metrics, forRun, forEvaluation) => {
    const store = await folder(config, metrics);
    const same = async () => true;
    expect((await foundFolder(store, 'it', run, runConfigs, same)).state).toBe(forRun);
    expect((await foundFolder(store, 'it', evaluation, agentEvalConfigs, same)).state).toBe(forEvaluation);
  });

  test('with a config that is not as it was written is nobody’s, unless the experiment is complete', async () => {
    const same = async () => true;
    const failure = foundFolder(await folder(null), 'it', run, runConfigs, same);
    await expect(failure).rejects.toThrow(/it\/config\.yaml is damaged: it holds no config/);
    expect(
      (await foundFolder(await folder(null, { status: 'done' }), 'it', run, runConfigs, same)).state,
    ).toBe('taken');
  });

  test('that is done is unfinished once its errors are to be asked again', async () => {
    const store = await folder(run, { status: 'done' });
    const found = () => foundFolder(store, 'it', run, runConfigs, async () => true);
    const metrics = { status: 'done' };
    expect(await found()).toMatchObject({ state: 'taken', left: null, done: { id: 'it', metrics } });
    await writeRetry(store, { types: null, at: '2026-01-01T00:00:00.000Z' });
    expect(await found()).toMatchObject({ state: 'unfinished', left: null, done: null });
    await endRetry(store);
    expect((await found()).state).toBe('taken');
  });

  test.each<[string, unknown, object | undefined, boolean, string | null]>([
    ['another seed', configOf({ seed: 3 }), undefined, true, 'seed'],
    ['other rows', run, { status: 'stopped' }, false, THE_ROWS],
    ['another seed, and is complete', configOf({ seed: 3 }), { status: 'done' }, true, null],
    ['the same', run, undefined, true, null],
    ['another kind', evaluation, undefined, true, null],
  ])('that has %s: what keeps it from being continued', async (_what, config, metrics, sameRows, differs) => {
    const store = await folder(config, metrics);
    const { left } = await foundFolder(store, 'it', run, runConfigs, async () => sameRows);
    expect(left).toEqual(differs === null ? null : { id: 'it', differs });
  });
});
