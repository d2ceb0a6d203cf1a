import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { folderState, RUN_CONFIGS } from '../../src/storage/experiment-folder.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { configOf, folderWith } from '../support/configs.js';

const run = configOf();

/** A folder of results with one experiment's files. */
async function folder(config: unknown, metrics?: object) {
  const store = openStore(join(folderWith(), 'it'));
  if (config !== undefined) await store.write(artifactKeys.config, stringify(config));
  if (metrics !== undefined) await store.write(artifactKeys.metrics, JSON.stringify(metrics));
  return store;
}

describe('the folder of a name', () => {
  test.each<[string, unknown, object | undefined, string]>([
    ['nothing', undefined, undefined, 'absent'],
    ['an unfinished run', run, undefined, 'unfinished'],
    ['a finished run', run, { status: 'done' }, 'taken'],
    ['metrics alone', undefined, { status: 'failed' }, 'taken'],
    ['an empty config', null, undefined, 'taken'],
    ['another run', configOf({ seed: 3 }), undefined, 'taken'],
  ])('with %s', async (_what, config, metrics, forRun) => {
    const store = await folder(config, metrics);
    expect(await folderState(store, run, RUN_CONFIGS)).toBe(forRun);
  });
});
