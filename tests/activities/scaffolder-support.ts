import { CallStore } from '../../src/activities/call-store.js';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import type { GenerateReply, GenerateRequest } from '../../src/contracts/language-model.js';
import { ScaffoldChecks } from '../../src/kinds/evolve/activities/scaffold-checks.js';
import { ScaffolderCalls } from '../../src/kinds/evolve/activities/scaffolder-calls.js';
import type { ProposeScaffoldInput } from '../../src/kinds/evolve/contracts.js';
import { AdaptiveLimit } from '../../src/language-models/adaptive-limit.js';
import { ownStarts } from '../../src/language-models/pace.js';
import { readingReplies } from '../../src/replies/read-reply.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';

/** Asks for a scaffold from scratch. */
export const FROM_SCRATCH: ProposeScaffoldInput = {
  run: 'run',
  iteration: 0,
  id: '0',
  parent: null,
  parent_made_in: null,
  runs: [],
  examples: [],
  attempt: 0,
  faults: [],
  known: {},
};

/** The parts of an experiment's context that its scaffolder works with; every call costs half a dollar. */
export function scaffolderContext(
  store: ArtifactStore,
  generate: (request: GenerateRequest) => Promise<GenerateReply>,
) {
  const log = { warn: () => undefined };
  const calls = new CallStore(store);
  const scaffolder = {
    calls,
    lm: { provider: 'openai', model: 'fake', max_attempts: 8, requests_per_second: null, cache: false },
    store,
    log,
    modelName: 'openai/fake',
    modelAddress: 'openai/fake',
    costOf: () => 0.5,
    languageModel: async () => ({ model: readingReplies({ generate }) }),
  };
  return { store, log: () => log, scaffolder, calls, python: async () => null };
}

/** What a worker's activities of the scaffolder share. `more` is what they need of a worker besides. */
export function scaffolderParts(more: object = {}) {
  const dependencies = {
    notify: () => undefined,
    notices: { listener: () => () => undefined },
    grantStarts: (_model: string, rate: number) => ownStarts(rate),
    maxConcurrentCalls: 1,
    ...more,
  };
  const worker = dependencies as unknown as WorkerDependencies;
  return {
    calls: new ScaffolderCalls(new ModelCalls(worker)),
    checks: new ScaffoldChecks(worker, new AdaptiveLimit({ maximum: 1 })),
  };
}
