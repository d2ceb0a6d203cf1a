import { Context } from '@temporalio/activity';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { checkModels } from '../../../activities/check-model.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { grainOf } from '../../../activities/grain.js';
import { hubListener } from '../../../activities/hub-listener.js';
import { OwnerClaims } from '../../../activities/owner-claims.js';
import { paidBefore } from '../../../activities/paid-calls.js';
import { pricesInUse } from '../../../activities/prices-in-use.js';
import { referenceTo } from '../../../activities/run-reference.js';
import { configOf } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { chooseFolder } from '../../../storage/experiment-folder.js';
import { keysBelow, readAhead } from '../../../storage/read-ahead.js';
import { writeStoredConfig } from '../../../storage/stored-config.js';
import { readJson } from '../../../storage/stored-file.js';
import { noteCodeChange } from '../../../user-code/code-file.js';
import { checkedTasks } from '../../run/activities/dataset.js';
import { writeTasks } from '../../run/activities/task-reader.js';
import { environmentCode } from '../../run/environment-code.js';
import { planKey } from '../../run/paths.js';
import { ownKindConfigs, sampleSelection } from '../config.js';
import type { OwnKindInput, OwnKindPlan, ScoreSums } from '../contracts.js';
import { kindCode } from '../definition.js';
import { foundOwnKind, ownCodeOf } from '../folder.js';
import { sampleOf, samplesPrefix } from '../paths.js';
import { addSampleScores } from '../scores.js';
import type { OwnKindContexts } from './own-kind-context.js';
import type { StoredSample } from './sample-activities.js';

/** Samples from which on an experiment is not watched call by call. */
const MANY_SAMPLES = 200;

/** Finds the samples that have a row, and sums up their scores. */
async function finishedIn(store: ArtifactStore): Promise<{ finished: number[]; scores: ScoreSums }> {
  const keys = await keysBelow(store, samplesPrefix());
  let scores: ScoreSums = {};
  for await (const stored of readAhead(keys, (key) => readJson<StoredSample>(store, key))) {
    scores = addSampleScores(scores, stored?.row.scores ?? {});
  }
  return { finished: keys.map(sampleOf), scores };
}

/**
 * Creates the activity that validates the input, tries the kind, chooses the experiment's folder, and stores config and
 * samples there. May be repeated: it writes the same objects again.
 */
export function createPrepareOwnKind(contexts: OwnKindContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  return (input: OwnKindInput): Promise<OwnKindPlan> =>
    heartbeating(async () => {
      const { info, cancellationSignal: signal } = Context.current();
      const { workflowId, runId } = info.workflowExecution as { workflowId: string; runId: string };
      const config = await configOf(ownKindConfigs, input, workflowId);
      const { environment, userCode, notify } = dependencies;
      const kind_name = await kindCode(userCode, config).checked();
      await checkModels(ownKindConfigs.modelsOf(config), config.limits, environment);
      const results = dependencies.openStore(config.output.results_dir);
      const { folder, store } = await claims.take(async () => {
        const folder = await chooseFolder(workflowId, (id) =>
          foundOwnKind(results.within(id), id, config, environment),
        );
        return { folder, store: results.within(folder.experiment) };
      });
      const { experiment } = folder;
      const tasks = checkedTasks(
        sampleSelection(config),
        {
          ...{ environment, signal, onUnreachable: hubListener(dependencies) },
          ...(config.dataset.hf_name === undefined ? {} : { notify }),
        },
        environmentCode(userCode),
      );
      const { count: samples, rows } = await writeTasks(store, tasks);
      await store.write(planKey(), JSON.stringify({ rows }));
      await writeStoredConfig(store, config);
      const run = referenceTo(store, runId);
      contexts.forget(run);
      const kept = await finishedIn(store);
      const log = dependencies.runLogs.for(store, config.output.log_level, 'experiment');
      const models = Object.entries(config.models);
      const values = pricesInUse(
        models.map(([, lm]) => lm),
        environment,
      );
      const at = new Date(info.scheduledTimestampMs).toISOString();
      const now = { at, samples: kept.finished.length };
      const change = await noteCodeChange(store, { ...ownCodeOf(config), values }, now, {
        kept: dependencies.keptCode,
      });
      if (change !== null) log.warn({ ...change }, 'the kind’s code changed since the last execution');
      log.info({ experiment, kind: kind_name, samples, kept: kept.finished.length }, 'experiment prepared');
      return {
        run,
        artifacts: store.uri,
        experiment,
        name: config.name,
        kind_name,
        models: Object.fromEntries(
          models.map(([role, lm]) => {
            const { timeout_sec, max_attempts } = lm;
            return [role, { model: modelNameOf(lm), timeout_sec, max_attempts }];
          }),
        ),
        simulated: models.some(([, { provider }]) => provider === 'simulated'),
        samples,
        ...kept,
        concurrency: config.concurrency,
        ...grainOf(dependencies, config.grain, {
          due: samples - kept.finished.length,
          many: MANY_SAMPLES,
          nouns: 'samples',
        }),
        work_timeout_sec: config.work_timeout_sec,
        limits: config.limits,
        search_attributes: await dependencies.knownSearchAttributes(),
        spent_wall_seconds: await wallSecondsBefore(store),
        spent: (await paidBefore(store, runId)).cost,
        stored: 0,
      };
    });
}
