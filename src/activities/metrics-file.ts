import type { RunStatus } from '../contracts/results.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { readableJson } from '../storage/json-lines.js';
import { artifactKeys } from '../storage/paths.js';
import { mergeLogs } from './merge-logs.js';
import type { RunLogs } from './run-log.js';

/** Seconds that earlier executions worked in an experiment's folder. */
export async function wallSecondsBefore(store: ArtifactStore): Promise<number> {
  const text = await store.readText(artifactKeys.metrics);
  return text === null ? 0 : ((JSON.parse(text) as { wall_seconds?: number }).wall_seconds ?? 0);
}

/** The metrics of a folder that is complete; null of one where something is left to do. */
export async function completeMetrics<Metrics extends { status: RunStatus }>(
  store: ArtifactStore,
): Promise<Metrics | null> {
  const text = await store.readText(artifactKeys.metrics);
  const metrics = text === null ? null : (JSON.parse(text) as Metrics);
  return metrics?.status === 'done' ? metrics : null;
}

/** Writes an experiment's last artifacts: its log, whole, and then `metrics.json`, which says that it has ended. */
export async function writeMetrics(
  store: ArtifactStore,
  metrics: { status: RunStatus },
  runLogs: RunLogs,
): Promise<void> {
  await runLogs.flush(store.uri);
  await mergeLogs(store);
  await store.write(artifactKeys.metrics, readableJson(metrics));
}
