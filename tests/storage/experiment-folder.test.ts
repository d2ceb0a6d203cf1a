import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { AGENT_EVAL_CONFIGS, folderState, RUN_CONFIGS } from '../../src/storage/experiment-folder.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
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
    ['metrics alone', undefined, { status: 'failed' }, 'taken', 'taken'],
    ['an empty config', null, undefined, 'taken', 'taken'],
    ['another run', configOf({ seed: 3 }), undefined, 'taken', 'taken'],
    ['another evaluation', agentEvalConfigWith({ seed: 3 }), undefined, 'taken', 'taken'],
  ])('with %s', async (_what, config, metrics, forRun, forEvaluation) => {
    const store = await folder(config, metrics);
    expect(await folderState(store, run, RUN_CONFIGS)).toBe(forRun);
    expect(await folderState(store, evaluation, AGENT_EVAL_CONFIGS)).toBe(forEvaluation);
  });
});
