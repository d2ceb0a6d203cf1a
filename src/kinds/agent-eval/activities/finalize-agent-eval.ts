import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { endExperiment, timesOf } from '../../../activities/end-experiment.js';
import { orIncomplete } from '../../../activities/incomplete.js';
import { pricesInUse } from '../../../activities/prices-in-use.js';
import { setAsideCalls } from '../../../activities/set-aside.js';
import type { Guard } from '../../../activities/unless-over.js';
import { unrecordedSoFar } from '../../../activities/unrecorded.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { reportHtml } from '../../../reports/report.js';
import { CallTally } from '../../../statistics/call-figures.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { deleteFolders } from '../../../storage/delete-folders.js';
import { jsonLines } from '../../../storage/json-lines.js';
import { artifactKeys, WORKING_FOLDERS } from '../../../storage/paths.js';
import { readAhead } from '../../../storage/read-ahead.js';
import type { TrajectoryData } from '../../../trajectories/schema.js';
import { codeChangesAtEnd } from '../../../user-code/code-file.js';
import { agentEvalConfigs } from '../config.js';
import type { FinalizeAgentEvalInput, RolloutRow } from '../contracts.js';
import { type AgentEvalFacts, agentEvalMetrics } from '../metrics.js';
import { rolloutsFolder } from '../paths.js';
import { agentEvalReport } from '../report.js';
import type { AgentEvalMetrics } from '../results.js';
import { rolloutTrajectory } from '../trajectory.js';
import type { AgentEvalContext, AgentEvalContexts } from './agent-eval-context.js';
import { agentCalls, recordedCalls } from './recorded-calls.js';
import { everyRollout, type NamedRollout } from './rollout-names.js';
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
): Promise<CallTally> {
  const tally = new CallTally(({ purpose }) => purpose);
  const records = async function* (): AsyncGenerator<CallRecord> {
    // Set-aside replies come first: a replay uses the last reply at each place.
    for await (const record of setAsideCalls(store)) {
      tally.addCall(record);
      yield record;
    }
    for await (const recorded of readAhead(rollouts, (rollout) => recordedCalls(calls, rollout))) {
      for (const record of recorded) {
        if (record.model !== HUMAN) tally.addCall(record);
        yield record;
      }
    }
  };
  await store.writeStream(artifactKeys.calls, jsonLines(records()));
  return tally;
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
  const { plan, status, message } = input;
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
    ...timesOf(input),
    planned: rows,
    success_reward: config.success_reward,
    seed: config.seed,
    ...config.metrics,
  };
}

/** Writes the evaluation's artifacts from the stored results and calls. */
async function writeArtifacts(
  context: AgentEvalContext,
  input: FinalizeAgentEvalInput,
  { dependencies, guard }: { dependencies: WorkerDependencies; guard: Guard },
): Promise<AgentEvalMetrics> {
  const store = guard(context.store);
  context.calls.forget();
  const rollouts = everyRollout(input.plan.rows);
  const rows = await everyRow(context, rollouts);
  await store.writeStream(artifactKeys.results, jsonLines(rows));
  const tally = await writeCalls(store, context, rollouts);
  await store.writeStream(artifactKeys.trajectories, jsonLines(trajectories(context, rows)));
  const code = {
    ...NO_OTHER_CODE,
    values: pricesInUse(Object.values(agentEvalConfigs.modelsOf(context.config)), dependencies.environment),
  };
  const changes = await codeChangesAtEnd(
    store,
    { code, kept: dependencies.keptCode },
    { rollouts: rows.length },
  );
  const facts = factsOf(context, input, changes);
  const gathered = agentEvalMetrics(facts, rows, { tally, unrecorded: await unrecordedSoFar(store) });
  const metrics = orIncomplete(
    gathered,
    { planned: rollouts.length, recorded: rows.length, errors: gathered.errors_by_type },
    'rollout',
  );
  await store.writeStream(artifactKeys.report, reportHtml(agentEvalReport(metrics)));
  const { status, rollouts: judged, mean_reward, errors, user_faults } = metrics;
  context
    .log('experiment')
    .info({ status, rollouts: judged, mean_reward, errors, user_faults }, 'evaluation ended');
  return metrics;
}

/**
 * Creates the activity that writes the evaluation's artifacts. A folder whose `metrics.json` has the status `done` is
 * complete. If the evaluation is unfinished or has errors, everything is kept to continue or retry it. Each row's seeded
 * database, and those of its rollouts after each tool call and at their end, stay to be looked at.
 */
export function createFinalizeAgentEval(contexts: AgentEvalContexts, dependencies: WorkerDependencies) {
  return endExperiment(
    { contexts, runLogs: dependencies.runLogs },
    (context, input: FinalizeAgentEvalInput, guard) =>
      writeArtifacts(context, input, { dependencies, guard }),
    async ({ store }, _input, { status, errors }: AgentEvalMetrics) => {
      // Rollouts with an error may be retried, and all figures are computed from the stored files of each rollout.
      if (status !== 'done' || errors > 0) return;
      await deleteFolders(store, [...WORKING_FOLDERS, rolloutsFolder()]);
    },
  );
}
