import { identityHash } from '../../../activities/call-key.js';
import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { paidBefore } from '../../../activities/paid-calls.js';
import { isJournaled } from '../../../memory/saved.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { keysBelow } from '../../../storage/read-ahead.js';
import { isRetried, type Retry, readRetry } from '../../../storage/retry-marker.js';
import type { Totals } from '../contracts.js';
import {
  bookCall,
  bookCost,
  bookEmbeddings,
  bookEpisode,
  type EpisodeOutcome,
  noTotals,
} from '../lane/totals.js';
import { everyPartPrefix, partKey } from '../paths.js';
import type { PartLine } from '../results.js';
import type { RunConfig } from '../schema.js';
import { paidEmbeddings } from './embeddings.js';
import { type EpisodeLine, type MemoryLine, MergedParts, writePart } from './part-file.js';

/** Author of the parts that hold kept samples. */
const KEPT = 'kept';
const LINES_PER_PART = 64;

export interface KeptSamples {
  /** Number of samples after the first one with an error that share its memory and have rows. */
  asked_anew: number;
  /** Indices of finished samples. */
  indices: Set<number>;
  totals: Totals;
  /** Seconds that earlier executions worked. */
  wall_seconds: number;
}

function outcome(line: EpisodeLine): EpisodeOutcome {
  if (line.row.error !== null) return { error: line.row.error.type };
  return line.row.feedback?.correct === true ? 'correct' : 'wrong';
}

/** True if these episodes of one sample leave nothing to do. An error that is retried does. */
function isFinished(
  lines: readonly EpisodeLine[],
  memory: MemoryLine | undefined,
  { config: { runtime, memory: of }, retry }: { config: RunConfig; retry: Retry | null },
): boolean {
  const last = lines.at(-1);
  if (last === undefined) return false;
  if (last.row.error !== null) return !isRetried(retry, last.row.error.type);
  // The memory is written after the last episode, and cannot be rebuilt from the rows.
  if (isJournaled(of._type) && memory === undefined) return false;
  if (lines.length >= runtime.num_trials) return true;
  return runtime.early_stop_on_success && last.row.feedback?.correct === true;
}

/** Counts the episodes of one sample. */
export function book(totals: Totals, lines: readonly EpisodeLine[]): void {
  let before: EpisodeOutcome | undefined;
  for (const line of lines) {
    bookEpisode(totals, outcome(line), before);
    before = outcome(line);
    for (const call of line.calls) bookCall(totals, call);
  }
}

/** Counts the samples with rows after the first one that ended with an error. */
async function afterFirstError(store: ArtifactStore): Promise<number> {
  const parts = await MergedParts.open(store, await keysBelow(store, everyPartPrefix()));
  let later: number | null = null;
  for await (const lines of parts.samples()) {
    if (later !== null) later += 1;
    else if (lines.at(-1)?.row.error !== null) later = 0;
  }
  return later ?? 0;
}

/**
 * Determines what a continued run need not repeat: with `memory_scope: sample`, every sample that an earlier execution
 * finished. Their rows move into parts of this execution. With one shared memory all samples are repeated, because
 * later ones depend on earlier ones; calls with a record cost nothing. All earlier costs count in both cases, including
 * those of unfinished samples and of vectors.
 */
export async function keepFinishedSamples(
  store: ArtifactStore,
  config: RunConfig,
  { execution, continues }: { execution: string; continues: boolean },
): Promise<KeptSamples> {
  const kept: KeptSamples = { asked_anew: 0, indices: new Set(), totals: noTotals(), wall_seconds: 0 };
  if (!continues) return kept;
  kept.wall_seconds = await wallSecondsBefore(store);
  bookEmbeddings(kept.totals, await paidEmbeddings(store));
  if (config.runtime.memory_scope === 'run') {
    bookCost(kept.totals, (await paidBefore(store, execution)).cost);
    kept.asked_anew = await afterFirstError(store);
    return kept;
  }

  const retry = await readRetry(store);
  const listed = new Set<string>();
  const earlier = await keysBelow(store, everyPartPrefix());
  const parts = await MergedParts.open(store, earlier);
  let lines: PartLine[] = [];
  let sequence = 0;
  const flush = async () => {
    if (lines.length > 0) await writePart(store, partKey(execution, sequence++, KEPT), lines);
    lines = [];
  };
  const memories = new Map<number, MemoryLine>();
  for await (const line of parts.memories()) memories.set(line.index, line);
  for await (const sample of parts.samples()) {
    const { index } = sample[0] as EpisodeLine;
    const memory = memories.get(index);
    if (!isFinished(sample, memory, { config, retry })) continue;
    kept.indices.add(index);
    book(kept.totals, sample);
    for (const { calls } of sample) for (const call of calls) listed.add(identityHash(call));
    lines.push(...sample, ...(memory === undefined ? [] : [memory]));
    if (lines.length >= LINES_PER_PART) await flush();
  }
  await flush();
  const others = await paidBefore(store, execution, { place: (hash) => listed.has(hash) });
  bookCost(kept.totals, others.cost);
  const own = `${everyPartPrefix()}${execution}/`;
  await store.delete(earlier.filter((key) => !key.startsWith(own)));
  return kept;
}
