import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidInputError } from '../config/errors.js';
import type { PaceFields } from '../config/pacing.js';
import type { JsonObject } from '../contracts/json.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { ExperimentMetrics, RunStatus } from '../contracts/results.js';
import type { Comparable } from '../kinds/kind.js';
import { kindOf } from '../kinds/registry.js';
import type { TrialFigure } from '../statistics/comparison.js';
import { type ComparedSample, comparedSamples, type Outcome } from '../statistics/outcomes.js';
import { Sum } from '../statistics/sums.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { missingFile, readJson, readRows } from '../storage/stored-file.js';
import { recordedModules } from '../user-code/code-file.js';
import { readNotes } from '../view/notes.js';
import { unitKey } from '../view/row-index.js';

/** Cost and latency of an experiment. */
interface ComparedCosts extends Pick<ExperimentMetrics, 'lm_calls' | 'usage' | 'cost_usd' | 'wall_seconds'> {
  /** US dollars; null if a price is unknown or there is no sample. */
  cost_usd_per_sample: number | null;
  /** Mean over the samples of all their trials' time; null if nothing is recorded. */
  seconds_per_sample: number | null;
  /** Source of the seconds: wall time of the rows, or latencies of the recorded calls. */
  seconds_of: 'rows' | 'calls' | null;
}

/** An experiment, as read from its folder. */
export interface ComparedExperiment {
  /** Name of the folder. */
  experiment: string;
  artifacts: string;
  kind: string;
  status: RunStatus;
  /** True if a model is the simulated one: no benchmark figure. */
  simulated: boolean;
  samples: ReadonlyMap<string, ComparedSample>;
  figures: readonly TrialFigure[];
  /** Rows, and those of them that were not judged. */
  trials: number;
  not_judged: number;
  costs: ComparedCosts;
  config: JsonObject;
  pace: PaceFields;
  /** Fields of the config that differ from experiment to experiment unless it sets them. */
  incidental: readonly string[];
  /** SHA-256 of the user's own modules, by path. */
  modules: Record<string, string>;
}

/** Returns the folders of the experiments that an ended one consists of; null: it consists of none. */
export async function comparedParts(store: ArtifactStore): Promise<ArtifactStore[] | null> {
  const metrics = await readJson<ExperimentMetrics>(store, artifactKeys.metrics);
  const parts = metrics === null ? undefined : kindOf(metrics.kind)?.parts;
  return parts === undefined ? null : (await parts(store)).map((address) => openStore(address));
}

/**
 * Reads an experiment with results.
 * @throws InvalidInputError if its kind has no rows to compare. @throws StorageError if a file is missing or damaged.
 */
export async function readCompared(store: ArtifactStore): Promise<ComparedExperiment> {
  const [metrics, config] = await Promise.all([
    readJson<ExperimentMetrics>(store, artifactKeys.metrics),
    readStoredConfig(store),
  ]);
  if (config === null) throw missingFile(store, artifactKeys.config);
  if (metrics === null) {
    throw new InvalidInputError(
      `${store.uri} has no results so far: the command that started the experiment continues it, and reprise stop ends it with what is done`,
    );
  }
  const { kind, status, simulated } = metrics;
  // Not the name that it was given: a folder may have been copied.
  const experiment = basename(store.uri.startsWith('file:') ? fileURLToPath(store.uri) : store.uri);
  const registered = kindOf(kind);
  const comparable = await registered?.comparison?.();
  if (comparable === undefined) {
    const what = registered?.noun ?? `an experiment of the kind '${kind}'`;
    throw new InvalidInputError(
      `${experiment} is ${what}, which has no rows that could be paired; compare takes runs, evaluations, kinds of one’s own, and sweeps of them`,
    );
  }
  const counts = { trials: 0, not_judged: 0, seconds: new Sum() };
  const samples = await comparedSamples(counted(outcomesIn(store, comparable), counts));
  return {
    experiment,
    artifacts: store.uri,
    kind,
    status,
    simulated,
    samples,
    figures: comparable.figures(config as never),
    trials: counts.trials,
    not_judged: counts.not_judged,
    costs: await costsOf(store, metrics, { samples: samples.size, seconds: counts.seconds }),
    config: config as JsonObject,
    pace: comparable.pace,
    incidental: comparable.incidental ?? [],
    modules: await recordedModules(store),
  };
}

/** Score of the verdicts that people have given. */
const BY_HAND = 'by_hand';

async function* outcomesIn(store: ArtifactStore, comparable: Comparable): AsyncGenerator<Outcome> {
  const { notes } = await readNotes(store);
  const verdicts = new Map(notes.map(({ id, trial, verdict }) => [unitKey(id, trial), verdict]));
  for await (const row of readRows(store, artifactKeys.results)) {
    const outcome = comparable.outcomeOf(row as never);
    const verdict = verdicts.get(unitKey(outcome.id, outcome.trial)) ?? null;
    yield verdict === null ? outcome : { ...outcome, scores: { ...outcome.scores, [BY_HAND]: verdict } };
  }
}

async function* counted(
  outcomes: AsyncIterable<Outcome>,
  counts: { trials: number; not_judged: number; seconds: Sum },
): AsyncGenerator<Outcome> {
  for await (const outcome of outcomes) {
    counts.trials += 1;
    if (outcome.scores === null) counts.not_judged += 1;
    if (outcome.seconds !== null) counts.seconds.add(outcome.seconds);
    yield outcome;
  }
}

async function costsOf(
  store: ArtifactStore,
  { lm_calls, usage, cost_usd, wall_seconds }: ExperimentMetrics,
  { samples, seconds }: { samples: number; seconds: Sum },
): Promise<ComparedCosts> {
  const isInRows = seconds.count > 0;
  const measured = isInRows ? seconds : await latencies(store);
  const isMeasured = samples > 0 && measured.count > 0;
  return {
    lm_calls,
    usage,
    cost_usd,
    wall_seconds,
    cost_usd_per_sample: cost_usd === null || samples === 0 ? null : cost_usd / samples,
    seconds_per_sample: isMeasured ? measured.total / samples : null,
    seconds_of: isMeasured ? (isInRows ? 'rows' : 'calls') : null,
  };
}

/** Adds up the seconds of the recorded calls. */
async function latencies(store: ArtifactStore): Promise<Sum> {
  const seconds = new Sum();
  if (!(await store.exists(artifactKeys.calls))) return seconds;
  for await (const { latency_ms } of readRows<CallRecord>(store, artifactKeys.calls)) {
    seconds.add(latency_ms / 1000);
  }
  return seconds;
}
