import type { RunStatus } from '../contracts/results.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { readableJson } from '../storage/json-lines.js';
import { artifactKeys, reachedFolder } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { mergeLogs } from './merge-logs.js';
import type { RunLogs } from './run-log.js';

/** Returns the seconds that earlier executions worked in an experiment's folder. */
export async function wallSecondsBefore(store: ArtifactStore): Promise<number> {
  return (await readJson<{ wall_seconds?: number }>(store, artifactKeys.metrics))?.wall_seconds ?? 0;
}

/** Returns the seconds that an experiment has worked, including this workflow. */
export function wallSeconds({
  plan,
  started_at,
  ended_at,
  worked_seconds = (ended_at - started_at) / 1000,
}: {
  plan: { spent_wall_seconds: number };
  started_at: number;
  ended_at: number;
  worked_seconds?: number;
}): number {
  return plan.spent_wall_seconds + worked_seconds;
}

/** Fields that every kind's metrics have at the end. */
interface Ended {
  status: RunStatus;
  /** ISO 8601. */
  ended_at: string;
}

/**
 * Returns the metrics of an execution that has ended; null if they are not written yet.
 * @param end time when the execution ended, in milliseconds; later metrics count as well.
 */
export async function metricsOfEnd<Metrics extends Ended>(
  store: ArtifactStore,
  { ended_at: end }: { ended_at: number },
): Promise<Metrics | null> {
  const metrics = await readJson<Metrics>(store, artifactKeys.metrics);
  return metrics !== null && Date.parse(metrics.ended_at) >= end ? metrics : null;
}

/** Writes an experiment's last artifacts: the complete log, and then `metrics.json`, which marks the end. */
export async function writeMetrics(store: ArtifactStore, metrics: Ended, runLogs: RunLogs): Promise<void> {
  await runLogs.flush(store.uri);
  await mergeLogs(store);
  // An execution that continues must make its own first contact with each model.
  await store.deleteFolder(reachedFolder());
  await store.write(artifactKeys.metrics, readableJson(metrics));
}
