import { type ComparedExperiment, readCompared } from '../../../activities/compared-experiment.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { endExperiment, timesOf } from '../../../activities/end-experiment.js';
import type { Guard } from '../../../activities/unless-over.js';
import type { CallFigures, ExperimentMetrics } from '../../../contracts/results.js';
import { factsOf, progressAtEnd } from '../../../facts/kind-facts.js';
import { reportHtml } from '../../../reports/report.js';
import { addBeside } from '../../../runtime/beside.js';
import { addRepeats, sumRepeats } from '../../../runtime/repeats.js';
import { addStep, noStepCost } from '../../../runtime/step-cost.js';
import { ErrorTally } from '../../../statistics/error-tally.js';
import { roundCost } from '../../../statistics/result-row.js';
import { jsonLines } from '../../../storage/json-lines.js';
import { artifactKeys } from '../../../storage/paths.js';
import { readJson } from '../../../storage/stored-file.js';
import { kindOf } from '../../registry.js';
import type {
  CellFigure,
  CellRow,
  EndedCell,
  FinalizeSweepInput,
  SweepCell,
  SweepMetrics,
} from '../contracts.js';
import { cellKey } from '../paths.js';
import { sweepReport } from '../report.js';
import { clusterOfCells, settingsOf } from '../settings.js';
import type { SweepContext, SweepContexts } from './sweep-context.js';

type CellMetrics = ExperimentMetrics & {
  lm_calls_cached?: number;
  /** Of a run. */
  samples?: number;
  unscored?: Record<string, number>;
};

/** Cell of a sweep with its metrics, as far as it has them. */
interface ReadCell {
  row: CellRow;
  metrics: CellMetrics | null;
  /** Its samples; null where its kind has none, or it has no results. */
  samples: ComparedExperiment | null;
}

/** Lists the rates and scores of an experiment, as it shows them. */
function figuresOf(
  facts: SweepContext['kind']['facts'],
  artifacts: string,
  metrics: CellMetrics,
): CellFigure[] {
  return factsOf(progressAtEnd({ artifacts, metrics }, facts), facts).flatMap(({ id, label, value }) => {
    if (value.kind !== 'rate' && value.kind !== 'score') return [];
    const { stderr = null, interval = null } = value;
    const isShare = value.kind === 'rate';
    return [
      {
        id,
        label,
        value: value.kind === 'rate' ? value.rate : value.score,
        stderr,
        interval,
        is_share: isShare,
      },
    ];
  });
}

/** Returns the sums of the cells' calls. */
function callsOf(cells: readonly ReadCell[]): CallFigures {
  const all = cells.flatMap(({ metrics }) => (metrics === null ? [] : [metrics]));
  const { lm_calls, usage, cost_usd, ...beside } = all.reduce(addStep, noStepCost());
  const cached = all.reduce((sum, { lm_calls_cached = 0 }) => sum + lm_calls_cached, 0);
  return {
    cut_off: all.reduce((sum, { cut_off }) => sum + cut_off, 0),
    lm_calls,
    ...(cached === 0 ? {} : { lm_calls_cached: cached }),
    ...all.reduce(addRepeats, sumRepeats([])),
    usage,
    cost_usd: cost_usd === null ? null : roundCost(cost_usd),
    ...addBeside(beside, {}),
  };
}

/** Creates the activity that writes the table of a sweep's cells, and what they come to. */
export function createFinalizeSweep(contexts: SweepContexts, dependencies: WorkerDependencies) {
  const { openStore } = dependencies;

  async function readCell(
    { store, kind, config }: SweepContext,
    cell: SweepCell,
    index: number,
  ): Promise<ReadCell> {
    const ended = await readJson<EndedCell>(store, cellKey(index));
    const artifacts = ended?.artifacts ?? null;
    const own = artifacts === null ? null : openStore(artifacts);
    const metrics = own === null ? null : await readJson<CellMetrics>(own, artifactKeys.metrics);
    const isCompared = own !== null && metrics !== null && kindOf(config.command)?.comparison !== undefined;
    const samples = isCompared ? await readCompared(own) : null;
    const { lm_calls_cached: cached, samples: visited, unscored } = metrics ?? {};
    const row: CellRow = {
      ...cell,
      status: ended?.status ?? 'waiting',
      message: ended?.message ?? null,
      artifacts,
      figures: metrics === null || artifacts === null ? [] : figuresOf(kind.facts, artifacts, metrics),
      ...(visited === undefined ? {} : { judged: visited - (metrics?.errors ?? 0) }),
      ...(unscored === undefined ? {} : { unscored }),
      errors: metrics?.errors ?? 0,
      lm_calls: metrics?.lm_calls ?? 0,
      ...(cached === undefined || cached === 0 ? {} : { lm_calls_cached: cached }),
      usage: metrics?.usage ?? noStepCost().usage,
      cost_usd: metrics === null ? 0 : metrics.cost_usd,
      wall_seconds: metrics?.wall_seconds ?? 0,
      seconds_per_sample: samples?.costs.seconds_per_sample ?? null,
    };
    return { row, metrics, samples };
  }

  async function writeArtifacts(
    context: SweepContext,
    input: FinalizeSweepInput,
    guard: Guard,
  ): Promise<SweepMetrics> {
    const { plan, status, message } = input;
    const store = guard(context.store);
    const cells: ReadCell[] = [];
    for (const [index, cell] of context.cells.entries()) cells.push(await readCell(context, cell, index));
    const rows = cells.map(({ row }) => row);
    const cluster = clusterOfCells(cells);
    const errors = new ErrorTally();
    for (const { status, message, name } of rows) {
      if (status === 'failed')
        errors.add({ type: 'cell_failed', message: `${name}: ${message ?? 'failed'}` });
    }
    const metrics: SweepMetrics = {
      name: plan.name,
      experiment: plan.experiment,
      kind: 'sweep',
      command: plan.command,
      status,
      status_message: message,
      model: plan.model,
      simulated: plan.simulated,
      cells_planned: rows.length,
      repeats: context.config.repeats,
      cells: rows,
      settings: settingsOf(cells, cluster),
      ...(cluster === null ? {} : { clustered_by: cluster }),
      errors: errors.total,
      errors_by_type: errors.counts(),
      ...errors.causes(),
      ...callsOf(cells),
      ...timesOf(input),
    };
    await store.writeStream(artifactKeys.results, jsonLines(rows));
    await store.writeStream(artifactKeys.report, reportHtml(sweepReport(metrics)));
    context.log('experiment').info({ status, cells: rows.length, cost_usd: metrics.cost_usd }, 'sweep ended');
    return metrics;
  }

  return endExperiment({ contexts, runLogs: dependencies.runLogs }, writeArtifacts);
}
