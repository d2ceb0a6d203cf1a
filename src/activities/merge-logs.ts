import type { ArtifactStore } from '../storage/artifact-store.js';
import { jsonLines } from '../storage/json-lines.js';
import { artifactKeys, logPartsPrefix } from '../storage/paths.js';
import { readRows } from '../storage/stored-file.js';

/** Merges what the workers have logged into `run.log`, by time. */
export async function mergeLogs(store: ArtifactStore): Promise<void> {
  const lines: { time: string; line: object }[] = [];
  for await (const { key } of store.list(logPartsPrefix())) {
    for await (const line of readRows<{ time: string }>(store, key)) lines.push({ time: line.time, line });
  }
  lines.sort((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0));
  await store.writeStream(artifactKeys.log, jsonLines(lines.map(({ line }) => line)));
}
