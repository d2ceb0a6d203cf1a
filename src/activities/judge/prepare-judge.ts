import { Context } from '@temporalio/activity';
import { InvalidInputError } from '../../config/errors.js';
import { resolveJudgeConfig } from '../../config/judge-load.js';
import type { JudgeConfig } from '../../config/judge-schema.js';
import { modelNameOf } from '../../config/model-name.js';
import { THE_INPUT } from '../../config/read-config.js';
import type { JudgeInput, JudgePlan } from '../../contracts/judge.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { JsonLinesError } from '../../storage/json-lines.js';
import { artifactKeys } from '../../storage/paths.js';
import { writeStoredConfig } from '../../storage/stored-config.js';
import type { Trajectory } from '../../trajectories/trajectory.js';
import { checkModel } from '../check-model.js';
import type { WorkerDependencies } from '../dependencies.js';
import { heartbeating } from '../heartbeating.js';
import { wallSecondsBefore } from '../metrics-file.js';
import { OwnerClaims } from '../owner-claims.js';
import { paidBefore } from '../paid-calls.js';
import { readTrajectories } from '../read-trajectories.js';
import { referenceTo } from '../run-reference.js';
import type { JudgeContexts } from './judge-context.js';
import { experimentOf, judgementName, judgementStores } from './judge-folder.js';
import { writeJudgedTrajectories } from './judged-trajectories.js';

const FIELD = 'experiment';

/** @throws InvalidInputError where there are none, or one is wrong. */
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

/** Everything that can be checked without a call. @throws InvalidInputError that names the field. */
export async function checkJudge(
  { lm, limits }: JudgeConfig,
  { environment }: Pick<WorkerDependencies, 'environment'>,
): Promise<void> {
  await checkModel(lm, 'lm', limits, environment);
}

/**
 * Validates the input, and stores config and trajectories in the judgement's folder, so that what is judged stays the
 * same while it is judged. May be repeated: it writes the same objects again.
 */
export function createPrepareJudge(contexts: JudgeContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  return (input: JudgeInput): Promise<JudgePlan> =>
    heartbeating(async () => {
      const { workflowExecution } = Context.current().info;
      const config = resolveJudgeConfig(input, { source: THE_INPUT, folder: process.cwd() });
      await checkJudge(config, dependencies);
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
