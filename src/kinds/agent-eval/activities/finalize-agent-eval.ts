import { heartbeating } from '../../../activities/attempt-journal.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { orIncomplete } from '../../../activities/incomplete.js';
import { metricsOfEnd, wallSeconds, writeMetrics } from '../../../activities/metrics-file.js';
import { pricesInUse } from '../../../activities/prices-in-use.js';
import { setAsideCalls } from '../../../activities/set-aside.js';
import { type Guard, unlessOver } from '../../../activities/unless-over.js';
import { unrecordedSoFar } from '../../../activities/unrecorded.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { addStep, costOfUnrecorded } from '../../../runtime/step-cost.js';
import { CallTally } from '../../../statistics/call-figures.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { deleteFolders } from '../../../storage/delete-folders.js';
import { jsonLines } from '../../../storage/json-lines.js';
import {
  artifactKeys,
  callsPrefix,
  logPartsPrefix,
  paidCallsFolder,
  setAsidePrefix,
  unrecordedPrefix,
} from '../../../storage/paths.js';
import { readAhead } from '../../../storage/read-ahead.js';
import { endRetry } from '../../../storage/retry-marker.js';
import type { TrajectoryData } from '../../../trajectories/schema.js';
import { codeChangesAtEnd } from '../../../user-code/code-file.js';
import { rolloutFolder, versionsFolder } from '../bundles/rollout-keys.js';
import { agentEvalConfigs } from '../config.js';
import type { FinalizeAgentEvalInput, RolloutRow } from '../contracts.js';
import { type AgentEvalFacts, addCall, agentEvalMetrics, noCallFigures } from '../metrics.js';
import { rolloutsFolder } from '../paths.js';
import { agentEvalReport } from '../report.js';
import type { AgentEvalMetrics } from '../results.js';
import { rolloutTrajectory } from '../trajectory.js';
import type { AgentEvalContext, AgentEvalContexts } from './agent-eval-context.js';
import { agentCalls, recordedCalls } from './recorded-calls.js';
import { everyRollout, type NamedRollout, rolloutId } from './rollout-names.js';
import { RolloutResults } from './rollout-results.js';
import { HUMAN } from './user-turn.js';

/** Own code without modules: those of the bundles were noted when they were loaded. */
const NO_OTHER_CODE = { paths: [], folders: [] };

/** Returns the rows of the rollouts that have ended. */
async function everyRow(
  { store }: AgentEvalContext,
  rollouts: readonly NamedRollout[],
): Promise<RolloutRow[]> {
  const results = new RolloutResults(store);
  const rows: RolloutRow[] = [];
  for await (const result of readAhead(rollouts, (rollout) => results.find(rollout))) {
    if (result !== null) rows.push(result.row);
  }
  return rows;
}

/** Writes the records of all calls, and sums them up. */
async function writeCalls(
  store: ArtifactStore,
  { calls }: AgentEvalContext,
  rollouts: readonly NamedRollout[],
) {
  let figures = noCallFigures();
  const tally = new CallTally();
  const records = async function* (): AsyncGenerator<CallRecord> {
    // Set-aside replies come first: a replay uses the last reply at each place.
    for await (const record of setAsideCalls(store)) {
      figures = addCall(figures, record);
      tally.addCall(record);
      yield record;
    }
    for await (const recorded of readAhead(rollouts, (rollout) => recordedCalls(calls, rollout))) {
      for (const record of recorded) {
        if (record.model !== HUMAN) figures = addCall(figures, record);
        tally.addCall(record);
        yield record;
      }
    }
  };
  await store.writeStream(artifactKeys.calls, jsonLines(records()));
  return { figures, tally };
}

async function* trajectories(
  { calls, config }: AgentEvalContext,
  rows: readonly RolloutRow[],
): AsyncGenerator<TrajectoryData> {
  const made = async (row: RolloutRow) =>
    rolloutTrajectory(row, await agentCalls(calls, { row: row.task_id, rollout: row.trial }), config.seed);
  for await (const trajectory of readAhead(rows, made)) if (trajectory !== null) yield trajectory;
}

function factsOf(
  { config }: AgentEvalContext,
  input: FinalizeAgentEvalInput,
  code_changes: AgentEvalFacts['code_changes'],
): AgentEvalFacts {
  const { plan, status, message, started_at, ended_at } = input;
  const { experiment, agent_model, user_model, simulated, rows } = plan;
  return {
    name: config.name,
    experiment,
    status,
    status_message: message,
    agent_model,
    user_model,
    simulated,
    code_changes,
    wall_seconds: wallSeconds(input),
    started_at: new Date(started_at).toISOString(),
    ended_at: new Date(ended_at).toISOString(),
    planned: rows,
    success_reward: config.success_reward,
    seed: config.seed,
  };
}

/** Deletes what only an unfinished evaluation needs. Each rollout's final and each row's seeded database stay. */
function removeWorkingFiles(
  { store, experiment }: AgentEvalContext,
  input: FinalizeAgentEvalInput,
): Promise<void> {
  return deleteFolders(store, [
    callsPrefix(),
    unrecordedPrefix(),
    setAsidePrefix(),
    paidCallsFolder(),
    logPartsPrefix(),
    rolloutsFolder(),
    ...input.plan.rows.map(({ row }) => versionsFolder(row)),
    ...everyRollout(input.plan.rows).map(({ row, rollout }) =>
      rolloutFolder(row, rolloutId(experiment, row, rollout)),
    ),
  ]);
}

/** Writes the evaluation's artifacts from the stored results and calls; `metrics.json` is written last. */
async function writeEnd(
  context: AgentEvalContext,
  input: FinalizeAgentEvalInput,
  { dependencies, guard }: { dependencies: WorkerDependencies; guard: Guard },
): Promise<AgentEvalMetrics> {
  const store = guard(context.store);
  context.calls.forget();
  const rollouts = everyRollout(input.plan.rows);
  const rows = await everyRow(context, rollouts);
  await store.writeStream(artifactKeys.results, jsonLines(rows));
  const { figures: calls, tally } = await writeCalls(store, context, rollouts);
  await store.writeStream(artifactKeys.trajectories, jsonLines(trajectories(context, rows)));
  const figures = addStep(calls, costOfUnrecorded(await unrecordedSoFar(store)));
  const code = {
    ...NO_OTHER_CODE,
    values: pricesInUse(Object.values(agentEvalConfigs.models(context.config)), dependencies.environment),
  };
  const changes = await codeChangesAtEnd(store, code, { rollouts: rows.length });
  const gathered = agentEvalMetrics(factsOf(context, input, changes), rows, figures, tally);
  const metrics = orIncomplete(
    gathered,
    { planned: rollouts.length, recorded: rows.length, errors: gathered.errors_by_type },
    'rollout',
  );
  await store.writeStream(artifactKeys.report, agentEvalReport(metrics));
  const { status, rollouts: judged, mean_reward, errors, user_faults } = metrics;
  context
    .log('experiment')
    .info({ status, rollouts: judged, mean_reward, errors, user_faults }, 'evaluation ended');
  await writeMetrics(store, metrics, dependencies.runLogs);
  return metrics;
}

/**
 * Creates the activity that writes the evaluation's artifacts. A folder whose `metrics.json` has the status `done` is
 * complete. If the evaluation is unfinished or has errors, everything is kept to continue or retry it. May be repeated.
 */
export function createFinalizeAgentEval(contexts: AgentEvalContexts, dependencies: WorkerDependencies) {
  return (input: FinalizeAgentEvalInput): Promise<AgentEvalMetrics> =>
    heartbeating(async () => {
      const context = await contexts.get(input.plan.run);
      const metrics = await unlessOver(
        () => metricsOfEnd<AgentEvalMetrics>(context.store, input),
        (guard) => writeEnd(context, input, { dependencies, guard }),
      );
      if (metrics.status === 'done' || metrics.status === 'incomplete') await endRetry(context.store);
      // Rollouts with an error may be retried, and all figures are computed from the stored files of each rollout.
      if (metrics.status === 'done' && metrics.errors === 0) await removeWorkingFiles(context, input);
      await context.store.sweep();
      return metrics;
    });
}
