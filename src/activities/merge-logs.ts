import type { ArtifactStore } from '../storage/artifact-store.js';
import { JsonLinesError, jsonLines, readLines } from '../storage/json-lines.js';
import { artifactKeys, logPartsPrefix } from '../storage/paths.js';
import { readRows } from '../storage/stored-file.js';

type Line = { time: string };

/**
 * Merges the workers' log parts into `run.log`, by time. Lines of earlier executions, whose parts are gone, stay. May
 * be repeated.
 */
export async function mergeLogs(store: ArtifactStore): Promise<void> {
  const added: Line[] = [];
  /** Count of each line in the present parts. */
  const counts = new Map<string, number>();
  for await (const { key } of store.list(logPartsPrefix())) {
    for await (const line of readRows<Line>(store, key)) {
      const text = JSON.stringify(line);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      added.push(line);
    }
  }
  const earlier = (await linesSoFar(store)).filter((line) => {
    const text = JSON.stringify(line);
    const count = counts.get(text) ?? 0;
    if (count > 0) counts.set(text, count - 1);
    return count === 0;
  });
  const lines = [...earlier, ...added].sort((left, right) =>
    left.time < right.time ? -1 : left.time > right.time ? 1 : 0,
  );
  await store.writeStream(artifactKeys.log, jsonLines(lines));
}

/** Reads the log's present lines. An invalid line must not fail the end of an experiment. */
async function linesSoFar(store: ArtifactStore): Promise<Line[]> {
  const stream = await store.openRead(artifactKeys.log);
  const lines: Line[] = [];
  if (stream === null) return lines;
  try {
    for await (const { text } of readLines(stream)) {
      const line = parsed(text);
      if (line !== null) lines.push(line);
    }
  } catch (error) {
    if (!(error instanceof JsonLinesError)) throw error;
  }
  return lines;
}

function parsed(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line | null;
    return typeof line?.time === 'string' ? line : null;
  } catch {
    return null;
  }
}
