import { Context } from '@temporalio/activity';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { checkModels } from '../../../activities/check-model.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { grainOf } from '../../../activities/grain.js';
import { OwnerClaims } from '../../../activities/owner-claims.js';
import { paidBefore } from '../../../activities/paid-calls.js';
import { pricesInUse } from '../../../activities/prices-in-use.js';
import { referenceTo } from '../../../activities/run-reference.js';
import { configOf } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import { addStep } from '../../../runtime/step-cost.js';
import { sumOf } from '../../../statistics/sums.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { keysBelow, readAhead } from '../../../storage/read-ahead.js';
import { isRetried, readRetry } from '../../../storage/retry-marker.js';
import { noteCodeChange } from '../../../user-code/code-file.js';
import { moduleTrialIn, type StoredRow } from '../bundle-code.js';
import { agentEvalConfigs } from '../config.js';
import type { AgentEvalInput, AgentEvalPlan, AgentEvalTotals, RolloutTask } from '../contracts.js';
import { chooseAgentEvalFolder, writeAgentEvalFolder } from '../folder.js';
import { rolloutsFolder } from '../paths.js';
import { rolloutRules } from '../rollouts/rules.js';
import { addRollout, noAgentEvalTotals } from '../rollouts/totals.js';
import type { AgentEvalConfig } from '../schema.js';
import type { AgentEvalContexts } from './agent-eval-context.js';
import { askedRows, bundleCode } from './asked-rows.js';
import { everyRollout } from './rollout-names.js';
import { RolloutResults } from './rollout-results.js';
import { HUMAN } from './user-turn.js';

/** Rollouts from which on an evaluation is not watched step by step. */
const MANY_ROLLOUTS = 30;

/** Settings of an activity that only stores a person's message. */
const STORING = { timeout_sec: 60, max_attempts: 1 };

function tasksOf(rows: readonly StoredRow[], { rollouts }: AgentEvalConfig): RolloutTask[] {
  return rows.map(({ row }) => ({
    row: row.id,
    n_rollouts: rollouts ?? row.n_rollouts,
    rules: rolloutRules(row),
  }));
}

/** Returns the plan's fields about the user. */
function userOf(
  { models: { user } }: AgentEvalConfig,
  tasks: readonly RolloutTask[],
): Pick<AgentEvalPlan, 'user_model' | 'human' | 'user'> {
  if (user === null || !tasks.some(({ rules }) => rules.has_user)) {
    return { user_model: null, human: false, user: STORING };
  }
  if (user === 'human') return { user_model: HUMAN, human: true, user: STORING };
  const { timeout_sec, max_attempts } = user;
  return { user_model: modelNameOf(user), human: false, user: { timeout_sec, max_attempts } };
}

/** Reports whether any of the models is simulated. */
function isSimulated(config: AgentEvalConfig): boolean {
  return Object.values(agentEvalConfigs.modelsOf(config)).some(({ provider }) => provider === 'simulated');
}

interface KeptRollouts {
  /** Finished rollouts, as `row/rollout`. */
  finished: string[];
  totals: AgentEvalTotals;
  /** Working time of earlier executions, in seconds. */
  wall_seconds: number;
}

/**
 * Finds what a continued evaluation need not repeat: every rollout that has ended. One with an error that is to be
 * retried continues from where the error occurred.
 */
async function keptRollouts(
  store: ArtifactStore,
  tasks: readonly RolloutTask[],
  execution: string,
): Promise<KeptRollouts> {
  const wall_seconds = await wallSecondsBefore(store);
  const kept: KeptRollouts = { finished: [], totals: noAgentEvalTotals(), wall_seconds };
  const results = new RolloutResults(store);
  const retry = await readRetry(store);
  const isFresh = (await keysBelow(store, `${rolloutsFolder()}/`)).length === 0;
  const rollouts = isFresh ? [] : everyRollout(tasks);
  for await (const found of readAhead(rollouts, (rollout) => results.find(rollout))) {
    if (found === null) continue;
    const { task_id, trial, status, ending, reward: score, error } = found.row;
    if (status === 'error' && isRetried(retry, error?.type ?? '')) continue;
    kept.finished.push(`${task_id}/${trial}`);
    kept.totals = addRollout(kept.totals, { status, ending, score, error, totals: found.row, fatal: null });
  }
  const finished = new Set(kept.finished);
  const others = await paidBefore(store, execution, {
    record: ({ sample_id, trial, model }) => model === HUMAN || finished.has(`${sample_id}/${trial}`),
  });
  kept.totals = addStep(kept.totals, others.cost);
  return kept;
}

/**
 * Creates the activity that validates the input, loads the bundles, chooses the experiment's folder, stores config and
 * rows there, and returns the plan. May be repeated: it writes the same objects again.
 */
export function createPrepareAgentEval(contexts: AgentEvalContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  return (input: AgentEvalInput): Promise<AgentEvalPlan> =>
    heartbeating(async () => {
      const { info } = Context.current();
      const { workflowId, runId } = info.workflowExecution as { workflowId: string; runId: string };
      const given = await configOf(agentEvalConfigs, input, workflowId);
      const models = agentEvalConfigs.modelsOf(given);
      await checkModels(models, given.limits, dependencies.environment);
      const results = dependencies.openStore(given.output.results_dir);
      const begun = new Date(info.scheduledTimestampMs).toISOString();
      const { folder, store } = await claims.take(async () => {
        const asked = { name: workflowId, config: given, begun };
        const folder = await chooseAgentEvalFolder(results, asked, (now) =>
          askedRows(given, now, moduleTrialIn(dependencies.userCode)),
        );
        return { folder, store: results.within(folder.experiment) };
      });
      const { experiment, config, rows } = folder;
      await writeAgentEvalFolder(store, folder);
      const run = referenceTo(store, runId);
      contexts.forget(run);
      const tasks = tasksOf(rows, config);
      const kept = await keptRollouts(store, tasks, runId);
      const log = dependencies.runLogs.for(store, config.output.log_level, 'experiment');
      const change = await noteCodeChange(
        store,
        { ...bundleCode(rows), values: pricesInUse(Object.values(models), dependencies.environment) },
        { at: begun, rollouts: kept.finished.length },
        { kept: dependencies.keptCode },
      );
      if (change !== null) log.warn({ ...change }, 'tools or rewards changed since the last execution');
      log.info(
        { experiment, rows: rows.length, kept: kept.finished.length, now: config.now, seed: config.seed },
        'evaluation prepared',
      );

      const { agent } = config.models;
      const user = userOf(config, tasks);
      const due = sumOf(tasks.map(({ n_rollouts }) => n_rollouts)) - kept.finished.length;
      return {
        run,
        artifacts: store.uri,
        experiment,
        execution: runId,
        name: config.name,
        agent_model: modelNameOf(agent),
        ...user,
        simulated: isSimulated(config),
        rows: tasks,
        finished: kept.finished,
        concurrency: config.concurrency,
        // A person answers to a workflow.
        ...grainOf(dependencies, user.human ? 'call' : config.grain, {
          due,
          many: MANY_ROLLOUTS,
          nouns: 'rollouts',
        }),
        agent: { timeout_sec: agent.timeout_sec, max_attempts: agent.max_attempts },
        tool_timeout_sec: config.tool_timeout_sec,
        limits: config.limits,
        search_attributes: await dependencies.knownSearchAttributes(),
        kept: kept.totals,
        spent_wall_seconds: kept.wall_seconds,
      };
    });
}
