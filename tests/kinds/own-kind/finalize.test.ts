import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { CallStore } from '../../../src/activities/call-store.js';
import type { WorkerDependencies } from '../../../src/activities/dependencies.js';
import type { CallRecord } from '../../../src/contracts/language-model.js';
import { createFinalizeOwnKind } from '../../../src/kinds/own-kind/activities/finalize-own-kind.js';
import type { OwnKindContexts } from '../../../src/kinds/own-kind/activities/own-kind-context.js';
import type {
  FinalizeOwnKindInput,
  OwnKindMetrics,
  OwnKindRow,
} from '../../../src/kinds/own-kind/contracts.js';
import { sampleErrorKey, sampleKey } from '../../../src/kinds/own-kind/paths.js';
import { artifactKeys } from '../../../src/storage/paths.js';
import { MemoryStore } from '../../support/memory-store.js';
import { call } from '../../support/rows.js';

test('a sample that ended in an error has the calls that it had made in its row', async () => {
  const store = new MemoryStore();
  const calls = new CallStore(store);
  const made = (sample_id: string, ordinal: number) =>
    calls.keep({
      record: call({ sample_id, ordinal, usage: { input_tokens: 5, output_tokens: 2 }, cost_usd: 0.25 }),
      answer: null,
    });
  await made('right', 0);
  await made('thrown', 0);
  await made('thrown', 1);
  const one = { lm_calls: 1, usage: { input_tokens: 5, output_tokens: 2 }, cost_usd: 0.25 };
  await store.write(sampleKey(0), JSON.stringify({ row: { scores: { correct: true } }, cost: one }));
  for (const sample of [1, 2])
    await store.write(sampleErrorKey(sample), JSON.stringify({ type: 'KindError', message: 'no verdict' }));
  const ids = ['right', 'thrown', 'never asked'];
  const context = {
    store,
    calls,
    config: { models: {} },
    code: { figures: async () => ({}) },
    tasks: { get: async (sample: number) => ({ id: ids[sample], question: '', target: null, metadata: {} }) },
    log: () => ({ info: () => undefined }),
  };
  const finalize = createFinalizeOwnKind(
    { get: async () => context } as unknown as OwnKindContexts,
    { environment: {}, runLogs: { flush: async () => undefined } } as unknown as WorkerDependencies,
  );
  const plan = {
    run: 'it',
    kind_name: 'mine',
    name: 'it',
    experiment: 'it',
    models: {},
    samples: ids.length,
    spent_wall_seconds: 0,
  };
  const input = { plan, status: 'stopped', message: null, started_at: 0, ended_at: 1000 };
  const metrics: OwnKindMetrics = await new MockActivityEnvironment().run(
    finalize,
    input as unknown as FinalizeOwnKindInput,
  );
  const linesOf = async <Row>(key: string) =>
    ((await store.readText(key)) ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const rows = await linesOf<OwnKindRow>(artifactKeys.results);
  expect(
    rows.map(({ id, lm_calls, usage, cost_usd }) => [id, lm_calls, usage.input_tokens, cost_usd]),
  ).toEqual([
    ['right', 1, 5, 0.25],
    ['thrown', 2, 10, 0.5],
    ['never asked', 0, 0, 0],
  ]);
  expect(metrics).toMatchObject({ errors: 2, lm_calls: 3, cost_usd: 0.75 });
  const written = await linesOf<CallRecord>(artifactKeys.calls);
  expect(written.map(({ sample_id, ordinal }) => `${sample_id} ${ordinal}`)).toEqual([
    'right 0',
    'thrown 0',
    'thrown 1',
  ]);
});
