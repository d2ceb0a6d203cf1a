import type { RunStatus } from '../contracts/results.js';
import { kindOf } from '../kinds/registry.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { readableJson } from '../storage/json-lines.js';
import { artifactKeys, reachedFolder } from '../storage/paths.js';
import { endRetry } from '../storage/retry-marker.js';
import { readJson } from '../storage/stored-file.js';
import { writeRowIndex } from '../view/row-index.js';
import { heartbeating } from './attempt-journal.js';
import type { ContextCache } from './context-cache.js';
import { mergeLogs } from './merge-logs.js';
import type { RunLogs } from './run-log.js';
import { type Guard, unlessOver } from './unless-over.js';

/** Returns the seconds that earlier executions worked in an experiment's folder. */
export async function wallSecondsBefore(store: ArtifactStore): Promise<number> {
  return (await readJson<{ wall_seconds?: number }>(store, artifactKeys.metrics))?.wall_seconds ?? 0;
}

/** Input of the activity that ends an experiment. */
interface EndInput {
  plan: { run: string; spent_wall_seconds: number };
  /** Milliseconds since 1970. */
  started_at: number;
  ended_at: number;
  /** Seconds that this workflow has worked; absent: all between start and end. */
  worked_seconds?: number;
}

/** Fields that every kind's metrics have at the end. */
interface Ended {
  kind: string;
  status: RunStatus;
  /** ISO 8601. */
  ended_at: string;
}

/** Returns the metrics about time: the seconds that the experiment has worked, including this workflow. */
export function timesOf({ plan, started_at, ended_at, worked_seconds }: EndInput) {
  return {
    wall_seconds: plan.spent_wall_seconds + (worked_seconds ?? (ended_at - started_at) / 1000),
    started_at: new Date(started_at).toISOString(),
    ended_at: new Date(ended_at).toISOString(),
  };
}

/** Returns the metrics of an execution that ended at a time in milliseconds, or later; null if there are none yet. */
async function metricsOfEnd<Metrics extends Ended>(
  store: ArtifactStore,
  end: number,
): Promise<Metrics | null> {
  const metrics = await readJson<Metrics>(store, artifactKeys.metrics);
  return metrics !== null && Date.parse(metrics.ended_at) >= end ? metrics : null;
}

/** Writes an experiment's last artifacts: the complete log, and then `metrics.json`, which marks the end. */
async function writeMetrics(store: ArtifactStore, metrics: Ended, runLogs: RunLogs): Promise<void> {
  await runLogs.flush(store.uri);
  await mergeLogs(store);
  // An execution that continues must make its own first contact with each model.
  await store.deleteFolder(reachedFolder());
  const view = await kindOf(metrics.kind)?.view();
  if (view !== undefined) await writeRowIndex(store, view);
  await store.write(artifactKeys.metrics, readableJson(metrics));
}

/**
 * Creates the activity that writes the artifacts of an experiment from what is stored, `metrics.json` last. It may be
 * repeated: once an attempt has ended, the others return its metrics.
 * @param writeArtifacts writes all other artifacts through the guard, and returns the metrics.
 * @param removeWorkingFiles deletes what only an unfinished experiment needs; absent: everything stays.
 */
export function endExperiment<
  Context extends { store: ArtifactStore },
  Input extends EndInput,
  Metrics extends Ended,
>(
  { contexts, runLogs }: { contexts: ContextCache<Context>; runLogs: RunLogs },
  writeArtifacts: (context: Context, input: Input, guard: Guard) => Promise<Metrics>,
  removeWorkingFiles: (context: Context, input: Input, metrics: Metrics) => Promise<void> = async () => {},
): (input: Input) => Promise<Metrics> {
  return (input) =>
    heartbeating(async () => {
      const context = await contexts.get(input.plan.run);
      const { store } = context;
      const metrics = await unlessOver(
        () => metricsOfEnd<Metrics>(store, input.ended_at),
        async (guard) => {
          const gathered = await writeArtifacts(context, input, guard);
          await writeMetrics(guard(store), gathered, runLogs);
          return gathered;
        },
      );
      if (metrics.status === 'done' || metrics.status === 'incomplete') await endRetry(store);
      await removeWorkingFiles(context, input, metrics);
      await store.sweep();
      return metrics;
    });
}
