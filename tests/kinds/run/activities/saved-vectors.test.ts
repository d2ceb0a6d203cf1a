import { expect, test } from 'vitest';
import { sharedVectorFiles } from '../../../../src/kinds/run/activities/embeddings.js';
import { MergedParts, writePart } from '../../../../src/kinds/run/activities/part-file.js';
import { writeMemory } from '../../../../src/kinds/run/activities/write-memory.js';
import { partKey } from '../../../../src/kinds/run/paths.js';
import { embedderIdentity } from '../../../../src/language-models/embeddings/create.js';
import type { MemorySnapshot } from '../../../../src/memory/memory-module.js';
import { KeptVectors } from '../../../../src/retrieval/kept-vectors.js';
import { openStore } from '../../../../src/storage/open.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { runContext, temporaryStore } from '../../../activities/support.js';
import { experience } from '../../../memory/support.js';
import { hash } from '../../../retrieval/vector-fakes.js';
import { configOf } from '../../../support/configs.js';

test('the end of a run saves the vectors that are at hand, and asks no model for the others', async () => {
  const store = await temporaryStore();
  // No key, and nobody listens there: a request would fail.
  const retrieval = {
    backend: 'embedding',
    model: 'openai/words',
    base_url: 'http://127.0.0.1:9/v1',
  } as const;
  const config = configOf({
    agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' },
    memory: { _type: 'experience_db', retrieval },
    output: { results_dir: store.uri, save_memory_path: `${store.uri}/kept/notes.json` },
  });
  const identity = embedderIdentity({
    provider: 'openai',
    model: 'words',
    base_url: retrieval.base_url,
    timeout_sec: 1,
  });
  const files = sharedVectorFiles(store, { ...retrieval, correct_only: false });
  const kept = new KeptVectors({ files, identity, hash });
  await kept.write({ hash: kept.hashOf('plum'), vector: Float32Array.from([1, 0]) });
  const loaded = {
    _type: 'experience_db',
    experiences: [experience('plum'), experience('never searched for')],
  };
  await store.write(artifactKeys.loadedMemory, JSON.stringify(loaded));
  const head = {
    _type: 'experience_db',
    experiences: 2,
    newest: [],
    entries: 0,
  } as unknown as MemorySnapshot;
  const part = partKey('e', 0, 'w0');
  await writePart(store, part, [{ kind: 'memory', index: 0, sample_id: 'a', memory: head }]);

  const run = runContext(store, config);
  await writeMemory(run, await MergedParts.open(store, [part]), { store, openStore, execution: 'e' });

  const rows = ((await store.readText(artifactKeys.vectors)) ?? '').trim().split('\n');
  expect(rows.map((row) => JSON.parse(row).hash)).toEqual([kept.hashOf('plum')]);
  expect(await store.readText('kept/notes.vectors.jsonl')).toBe(`${rows[0]}\n`);
  expect(JSON.parse((await store.readText(artifactKeys.memory)) ?? '').experiences).toHaveLength(2);
});
