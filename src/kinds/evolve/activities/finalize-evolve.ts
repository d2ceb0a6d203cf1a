import type { StoredCall } from '../../../activities/call-store.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { endExperiment, timesOf } from '../../../activities/end-experiment.js';
import { setAsideCalls } from '../../../activities/set-aside.js';
import type { Guard } from '../../../activities/unless-over.js';
import { unrecordedSoFar } from '../../../activities/unrecorded.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import type { Unrecorded } from '../../../contracts/step-cost.js';
import { reportHtml } from '../../../reports/report.js';
import { CallTally } from '../../../statistics/call-figures.js';
import { ErrorTally } from '../../../statistics/error-tally.js';
import { meansByName } from '../../../statistics/sums.js';
import { jsonLines } from '../../../storage/json-lines.js';
import { artifactKeys, callsPrefix } from '../../../storage/paths.js';
import { recordsBelow } from '../../../storage/read-ahead.js';
import { codeChangesAtEnd } from '../../../user-code/code-file.js';
import type { FinalizeEvolveInput, ScaffoldNode } from '../contracts.js';
import { bestFile, scaffoldFile } from '../evolution/layout.js';
import { bestScaffold, latestScore, nodeOf, type ScaffoldStatus } from '../evolution/lineage.js';
import { bestLine } from '../evolution/progress-lines.js';
import { unscoredErrors } from '../facts.js';
import { ownScorerAndPrices } from '../own-domain.js';
import { scaffoldRunsPrefix } from '../paths.js';
import { evolutionReport } from '../report.js';
import type { EvolveCodeChange, EvolveMetrics } from '../results.js';
import type { EvolveContext, EvolveContexts } from './evolve-context.js';
import { logLines, writeLineage } from './iteration-files.js';
import { copyScaffold, readScaffold, type ScaffoldPlace } from './scaffold-files.js';
import { hasOutput, type ScaffoldRunRecord } from './scaffold-runs.js';
import { scaffoldTrajectories } from './scaffold-trajectories.js';

const inOrder = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

/** Reads all calls, in the order of scaffolds and tries. */
async function everyCall({ store }: EvolveContext): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  for await (const { record } of recordsBelow<StoredCall>(store, callsPrefix())) calls.push(record);
  return calls.sort(
    (left, right) =>
      inOrder(left.sample_id, right.sample_id) ||
      inOrder(left.purpose, right.purpose) ||
      left.ordinal - right.ordinal,
  );
}

async function everyRun({ store }: EvolveContext): Promise<ScaffoldRunRecord[]> {
  const runs: ScaffoldRunRecord[] = [];
  for await (const run of recordsBelow<ScaffoldRunRecord>(store, scaffoldRunsPrefix())) runs.push(run);
  return runs.sort(
    (left, right) =>
      left.iteration - right.iteration ||
      inOrder(left.scaffold, right.scaffold) ||
      inOrder(left.type, right.type) ||
      inOrder(left.draft ?? '', right.draft ?? '') ||
      inOrder(left.example, right.example),
  );
}

/**
 * Averages a scaffold's metrics in its newest validation, over the runs that have some: one that failed has only a
 * score.
 */
function meanMetrics(
  { id, valid }: Pick<ScaffoldNode, 'id' | 'valid'>,
  runs: readonly ScaffoldRunRecord[],
): Pick<NonNullable<EvolveMetrics['best']>, 'metrics' | 'metrics_of'> {
  const newest = latestScore(valid)?.iteration;
  const all = runs.filter(
    ({ scaffold, type, iteration }) => scaffold === id && type === 'valid' && iteration === newest,
  );
  const measured = all.flatMap(({ metrics = {} }) => (Object.keys(metrics).length === 0 ? [] : [metrics]));
  if (measured.length === 0) return {};
  return {
    metrics: meansByName(measured),
    ...(measured.length === all.length ? {} : { metrics_of: { runs: measured.length, of: all.length } }),
  };
}

interface Found {
  /** Includes replies that were replaced later. */
  calls: readonly CallRecord[];
  runs: readonly ScaffoldRunRecord[];
  unrecorded: Unrecorded | null;
  code_changes: EvolveCodeChange[];
}

/** Counts errors of scaffolds that were not made or have no score, and of executions without an output. */
function errorsOf(nodes: readonly ScaffoldNode[], runs: readonly ScaffoldRunRecord[]): ErrorTally {
  const errors = new ErrorTally();
  for (const { status, error = '' } of nodes) {
    if (status === 'failed' || status === 'unscored')
      errors.add({ type: `scaffold_${status}`, message: error });
  }
  for (const { result, message } of runs) {
    if (hasOutput(result)) continue;
    errors.add({ type: `execution_${result.status === 'ok' ? 'without_output' : result.status}`, message });
  }
  return errors;
}

/** Computes the figures from the records, so that they do not depend on what was repeated. */
function metricsOf(
  { config }: EvolveContext,
  input: FinalizeEvolveInput,
  { calls, runs, unrecorded, code_changes }: Found,
): EvolveMetrics {
  const { plan, state, status, message, tested } = input;
  const tally = new CallTally(({ purpose }) => (purpose === 'executor' ? purpose : 'scaffolder'));
  for (const call of calls) tally.addReply(call);
  const best = bestScaffold(state.nodes);
  const iterations = Array.from({ length: state.next_iteration }, (_, iteration) => iteration);
  const scoresIn = (iteration: number) =>
    state.nodes.flatMap(({ valid }) => valid.filter((score) => score.iteration === iteration));
  const countOf = (status: ScaffoldStatus) => state.nodes.filter((node) => node.status === status).length;
  const simulated = Object.values(config.models).some((model) => model?.provider === 'simulated');
  return {
    name: config.name,
    experiment: plan.experiment,
    kind: 'evolve',
    status,
    status_message: message,
    scaffolder_model: plan.scaffolder_model,
    executor_model: plan.executor_model,
    simulated,
    domain: config.domain.name,
    selection: plan.selection.kind,
    seed: config.seed,
    num_iterations: plan.num_iterations,
    iterations: state.next_iteration,
    best:
      best === null
        ? null
        : {
            ...best,
            path: scaffoldFile(nodeOf(state.nodes, best.id).iteration, 'new', best.id),
            test_score: tested?.scaffold === best.id ? tested.score : null,
            ...meanMetrics(nodeOf(state.nodes, best.id), runs),
          },
    best_by_iteration: iterations.map((iteration) => {
      const scores = scoresIn(iteration).map(({ score }) => score);
      return scores.length === 0 ? null : Math.max(...scores);
    }),
    scaffolds: state.nodes.length,
    scaffolds_failed: countOf('failed'),
    scaffolds_unscored: countOf('unscored'),
    scaffolds_duplicate: countOf('duplicate'),
    executions: runs.length,
    executions_failed: runs.filter(({ result }) => !hasOutput(result)).length,
    ...unscoredErrors(countOf('unscored')),
    ...errorsOf(state.nodes, runs).causes(),
    ...tally.figures(unrecorded),
    ...(code_changes.length === 0 ? {} : { code_changes }),
    ...timesOf(input),
  };
}

/** Writes the experiment's artifacts. */
async function writeArtifacts(
  context: EvolveContext,
  input: FinalizeEvolveInput,
  { dependencies, guard }: { dependencies: WorkerDependencies; guard: Guard },
): Promise<EvolveMetrics> {
  const { config } = context;
  const store = guard(context.store);
  const standing = await everyCall(context);
  const replaced: CallRecord[] = [];
  for await (const record of setAsideCalls(store)) replaced.push(record);
  const found = {
    // Replaced ones come first: a replay takes the last of several replies to a call.
    calls: [...replaced, ...standing],
    runs: await everyRun(context),
    unrecorded: await unrecordedSoFar(store),
    code_changes: await codeChangesAtEnd(
      store,
      { code: ownScorerAndPrices(config, dependencies.environment), kept: dependencies.keptCode },
      { iterations: input.state.next_iteration },
    ),
  };
  const metrics = metricsOf(context, input, found);
  await store.writeStream(artifactKeys.calls, jsonLines(found.calls));
  await store.writeStream(artifactKeys.executions, jsonLines(found.runs.map(({ key: _key, ...run }) => run)));
  await store.writeStream(
    artifactKeys.trajectories,
    jsonLines(scaffoldTrajectories(input.state.nodes, standing, config.seed)),
  );
  await writeLineage(store, input);
  const { best } = metrics;
  const placeOf = (id: string): ScaffoldPlace => ({
    iteration: nodeOf(input.state.nodes, id).iteration,
    generation: 'new',
    id,
  });
  if (best !== null) {
    await store.deleteFolder('best');
    await copyScaffold(store, placeOf(best.id), bestFile);
  }
  await store.writeStream(
    artifactKeys.report,
    reportHtml(
      evolutionReport({
        metrics,
        nodes: input.state.nodes,
        metricsOf: (node) => meanMetrics(node, found.runs).metrics ?? {},
        files: async (id) => {
          const files = await readScaffold(store, placeOf(id));
          return Object.keys(files).length === 0 ? null : files;
        },
      }),
    ),
  );
  const log = context.log('experiment');
  logLines(log, input);
  const last = bestLine(best);
  if (last !== null) log.info(last);
  log.info({ status: metrics.status, best: metrics.best }, 'experiment ended');
  return metrics;
}

/**
 * Creates the activity that ends an evolution. A folder whose `metrics.json` has the status `done` is complete; the
 * working files stay, because an evolution may be extended.
 */
export function createFinalizeEvolve(contexts: EvolveContexts, dependencies: WorkerDependencies) {
  return endExperiment(
    { contexts, runLogs: dependencies.runLogs },
    (context, input: FinalizeEvolveInput, guard) => writeArtifacts(context, input, { dependencies, guard }),
  );
}
