import type { ArtifactStore } from '../storage/artifact-store.js';
import { jsonLines, readJsonLines } from '../storage/json-lines.js';
import { artifactKeys, logPartsPrefix } from '../storage/paths.js';

/** Merges what the workers have logged into `run.log`, by time. */
export async function mergeLogs(store: ArtifactStore): Promise<void> {
  const lines: { time: string; line: object }[] = [];
  for await (const { key } of store.list(logPartsPrefix())) {
    const stream = await store.openRead(key);
    if (stream === null) continue;
    for await (const line of readJsonLines<{ time: string }>(stream)) lines.push({ time: line.time, line });
  }
  lines.sort((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0));
  await store.writeStream(artifactKeys.log, jsonLines(lines.map(({ line }) => line)));
}
