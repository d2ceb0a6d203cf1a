import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import { stringify } from 'yaml';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import { withFailures } from '../../src/activities/failures.js';
import { RunLogs } from '../../src/activities/run-log.js';
import { runReference } from '../../src/contracts/experiment.js';
import { RunContexts } from '../../src/kinds/run/activities/run-context.js';
import { writeTasks } from '../../src/kinds/run/activities/task-reader.js';
import { planKey } from '../../src/kinds/run/paths.js';
import type { RunConfig } from '../../src/kinds/run/schema.js';
import { ownStarts } from '../../src/language-models/pace.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { localCode } from '../../src/user-code/code-runner.js';

/** What runs begin with, for whoever is given one of these. */
const BEGINNINGS = { prepareRun: 'begins', loadMemory: 'begins' } as const;

/** What a worker has, with the world left out; give what matters. */
export function dependencies(fields: Partial<WorkerDependencies> = {}): WorkerDependencies {
  return {
    openStore,
    environment: {},
    compareSymbolically: async () => undefined,
    userCode: localCode(fields.compareSymbolically),
    logger: pino({ level: 'silent' }),
    notify: () => undefined,
    notices: { listener: () => () => undefined },
    runLogs: new RunLogs(),
    sandbox: async () => {
      throw new Error('no program is run here');
    },
    maxConcurrentExecutions: 4,
    maxConcurrentCalls: 4,
    namespaceId: async () => 'namespace',
    knownSearchAttributes: async () => [],
    grantStarts: (_model, rate) => ownStarts(rate),
    ...fields,
  };
}

/** The folder of a run as `prepareRun` leaves it; answers what activities call the run. */
export async function preparedRun(
  store: ArtifactStore,
  config: RunConfig,
  { loaded, execution = 'execution' }: { loaded?: object; execution?: string } = {},
): Promise<string> {
  const items = config.dataset.items ?? [];
  await store.write(artifactKeys.config, stringify(config));
  await store.write(planKey(), JSON.stringify({ todo: null, samples_planned: items.length }));
  if (loaded !== undefined) await store.write(artifactKeys.loadedMemory, JSON.stringify(loaded));
  await writeTasks(
    store,
    (async function* () {
      for (const index of items.keys())
        yield { index, id: `s${index}`, question: `question ${index}`, target: 'gold', metadata: {} };
    })(),
  );
  return runReference(store.uri, execution);
}

/** A worker's activities of one set, called as the server calls them: in a context, errors sorted by what a retry does. */
export function activitiesOf<Activities extends object>(
  create: (runs: RunContexts, dependencies: WorkerDependencies) => Activities,
  given: WorkerDependencies = dependencies(),
): Activities & { environment: MockActivityEnvironment } {
  const silent = new DefaultLogger('ERROR', () => undefined);
  const environment = new MockActivityEnvironment({}, { logger: silent });
  const wrapped = withFailures(create(new RunContexts(given), given), given, BEGINNINGS);
  const called = Object.entries(wrapped).map(([name, activity]) => [
    name,
    (...input: unknown[]) => environment.run(activity as (...input: unknown[]) => Promise<unknown>, ...input),
  ]);
  return { ...(Object.fromEntries(called) as Activities), environment };
}
