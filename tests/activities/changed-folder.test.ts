import { expect, test } from 'vitest';
import { identityHash } from '../../src/activities/call-key.js';
import { CallStore } from '../../src/activities/call-store.js';
import { holdsRows } from '../../src/kinds/agent-eval/folder.js';
import { RunContexts } from '../../src/kinds/run/activities/run-context.js';
import { planKey } from '../../src/kinds/run/paths.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { artifactKeys, callKey } from '../../src/storage/paths.js';
import { configOf } from '../support/configs.js';
import { temporaryStore } from './support.js';
import { dependencies, preparedRun } from './worker-support.js';

/** Leaves half of a file. */
async function cut(store: ArtifactStore, key: string): Promise<void> {
  const whole = (await store.readText(key)) as string;
  await store.write(key, whole.slice(0, whole.length / 2));
}

test.each<[string, (store: ArtifactStore) => Promise<void>, RegExp]>([
  ['without its plan', (store) => store.delete([planKey()]), /\/plan\.json is missing/],
  ['with half a plan', (store) => cut(store, planKey()), /\/plan\.json is damaged: /],
  ['without its config', (store) => store.delete([artifactKeys.config]), /\/config\.yaml is missing/],
  [
    'with an empty config',
    async (store) => void (await store.write(artifactKeys.config, '')),
    /\/config\.yaml is damaged: it holds no config/,
  ],
])('a run whose folder is %s', async (_what, harm, message) => {
  const store = await temporaryStore();
  const run = await preparedRun(store, configOf());
  await harm(store);
  const failure = new RunContexts(dependencies()).get(run);
  await expect(failure).rejects.toThrow(message);
  await expect(failure).rejects.toMatchObject({ name: 'StorageError', mayPass: false });
});

test('an evaluation’s plan that is damaged is no plan of other rows', async () => {
  const store = await temporaryStore();
  await store.write(planKey(), '{"rows":[{"id":"a","sha');
  await expect(holdsRows(store, [])).rejects.toThrow(/\/plan\.json is damaged/);
  await store.write(planKey(), '{"rows":[{"id":"a","sha256":"b"}]}');
  expect(await holdsRows(store, [])).toBe(false);
});

test('a reply that is damaged is no reply, and none that was never there', async () => {
  const store = await temporaryStore();
  const calls = new CallStore(store);
  const call = { sample_id: 's0', trial: 0, purpose: 'act', ordinal: 0 } as const;
  const record = { ...call, key: 'k', text: 'the reply', at: 0 } as never;
  await calls.save({ record, answer: null });
  await cut(store, callKey(identityHash(call)));
  calls.forget();
  await expect(calls.at(call)).rejects.toThrow(/\/pending\/.*\.json is damaged/);
  await expect(calls.save({ record, answer: null })).rejects.toThrow(/is damaged/);
});
