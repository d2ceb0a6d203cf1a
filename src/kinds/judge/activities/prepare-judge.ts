import { Context } from '@temporalio/activity';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { checkModels } from '../../../activities/check-model.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { grainOf } from '../../../activities/grain.js';
import { OwnerClaims } from '../../../activities/owner-claims.js';
import { paidBefore } from '../../../activities/paid-calls.js';
import { readTrajectories } from '../../../activities/read-trajectories.js';
import { referenceTo } from '../../../activities/run-reference.js';
import { InvalidInputError } from '../../../config/errors.js';
import { configOf } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import { sumOf } from '../../../statistics/sums.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { JsonLinesError } from '../../../storage/json-lines.js';
import { artifactKeys } from '../../../storage/paths.js';
import { writeStoredConfig } from '../../../storage/stored-config.js';
import type { Trajectory } from '../../../trajectories/trajectory.js';
import { judgeConfigs } from '../config.js';
import type { JudgeInput, JudgePlan } from '../contracts.js';
import { experimentOf, judgementName, judgementStores } from '../folder.js';
import type { JudgeContexts } from './judge-context.js';
import { writeJudgedTrajectories } from './judged-trajectories.js';

const FIELD = 'experiment';

/** Steps from which on a judgement is not watched call by call. */
const MANY_STEPS = 200;

/** Reads an experiment's trajectories. @throws InvalidInputError if there are none, or one is invalid. */
async function* trajectoriesOf(experiment: ArtifactStore): AsyncGenerator<Trajectory> {
  const name = `${experiment.uri}/${artifactKeys.trajectories}`;
  const source = await experiment.openRead(artifactKeys.trajectories);
  if (source === null) {
    throw new InvalidInputError(
      `${FIELD}: there is no file at ${name}; it is written when the experiment ends`,
      FIELD,
    );
  }
  try {
    yield* readTrajectories(source, name);
  } catch (error) {
    if (!(error instanceof JsonLinesError || error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError(`${FIELD}: ${error.message}`, FIELD);
  }
}

/**
 * Creates the activity that validates the input, and copies config and trajectories into the judgement's folder, so
 * that they stay the same. May be repeated: it writes the same objects again.
 */
export function createPrepareJudge(contexts: JudgeContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  return (input: JudgeInput): Promise<JudgePlan> =>
    heartbeating(async () => {
      const { workflowExecution } = Context.current().info;
      const config = await configOf(judgeConfigs, input, workflowExecution?.workflowId ?? '');
      await checkModels(judgeConfigs.modelsOf(config), config.limits, dependencies.environment);
      const { folder: experiment, store } = await claims.take(async () => {
        const { experiment, store } = judgementStores(dependencies.openStore, config);
        return { folder: experiment, store };
      });
      const steps = await writeJudgedTrajectories(store, trajectoriesOf(experiment));
      if (steps.length === 0) {
        throw new InvalidInputError(
          `${FIELD}: ${experiment.uri}/${artifactKeys.trajectories} has no rows`,
          FIELD,
        );
      }
      await writeStoredConfig(store, config);
      const runId = workflowExecution?.runId ?? '';
      const run = referenceTo(store, runId);
      contexts.forget(run);
      const { rubric, lm, concurrency, limits } = config;
      const name = judgementName(config);
      const paid = await paidBefore(store, runId);
      const log = dependencies.runLogs.for(store, config.log_level, 'experiment');
      log.info({ judgement: name, trajectories: steps.length }, 'judgement prepared');
      return {
        run,
        artifacts: store.uri,
        experiment: experimentOf(config),
        name,
        model: modelNameOf(lm),
        simulated: lm.provider === 'simulated',
        criteria: rubric.criteria.map(({ name: criterion, range }) => ({ name: criterion, range })),
        steps,
        concurrency,
        ...grainOf(dependencies, config.grain, { due: sumOf(steps), many: MANY_STEPS, nouns: 'steps' }),
        timeout_sec: lm.timeout_sec,
        max_attempts: lm.max_attempts,
        limits,
        search_attributes: await dependencies.knownSearchAttributes(),
        spent_wall_seconds: await wallSecondsBefore(store),
        spent: paid.cost,
        stored: Object.keys(paid.calls).length,
      };
    });
}
