import { CallStore } from '../../src/activities/call-store.js';
import type { RunLogs } from '../../src/activities/run-log.js';
import type { RunContexts } from '../../src/kinds/run/activities/run-context.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';

export interface FakeModelRun {
  store: ArtifactStore;
  maxAttempts: number;
  /** What its model answers to a request. */
  reply(request: { call: { sample_id: string } }): string | Promise<string>;
}

/** Contexts of one run whose model is `reply`: as little of a run as its calls need, and what `more` adds. */
export function fakeModelRun(
  given: FakeModelRun,
  more: object = {},
): { runs: RunContexts; runLogs: RunLogs } {
  const generate = async (request: { call: { sample_id: string } }) => ({
    text: await given.reply(request),
    finish_reason: 'stop',
  });
  const log = { warn: () => undefined };
  const run = {
    store: given.store,
    config: {
      lm: {
        provider: 'openai',
        model: 'fake',
        max_attempts: given.maxAttempts,
        requests_per_second: null,
        cache: false,
      },
      dataset: {},
      output: { results_dir: 'results', log_level: 'error' },
    },
    calls: new CallStore(given.store),
    log: () => log,
    ...more,
  };
  const calledModel = () => ({
    lm: run.config.lm,
    store: run.store,
    resultsDir: run.config.output.results_dir,
    seed: 0,
    calls: run.calls,
    log,
    modelName: 'openai/fake',
    modelAddress: 'openai/fake',
    costOf: () => 1,
    languageModel: async () => ({ model: { generate } }),
  });
  return {
    runs: { get: async () => ({ ...run, calledModel }) } as unknown as RunContexts,
    runLogs: { for: () => log } as unknown as RunLogs,
  };
}
