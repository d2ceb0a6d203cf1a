import { LOG_FILE_BYTES, LOG_FILES } from '../contracts/logger.js';
import { toWellFormedJson } from '../contracts/well-formed.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { JsonLinesError, readLines } from '../storage/json-lines.js';
import { logKey, logPartsPrefix } from '../storage/paths.js';
import { readRows } from '../storage/stored-file.js';

interface Line {
  time: string;
  /** The line as JSON. */
  text: string;
}

/**
 * Merges the workers' log parts into `run.log`, by time. Lines of earlier executions, whose parts are gone, stay. May
 * be repeated. A log that is too long for one file is continued in `run.log.1` with the lines before, and so on; the
 * oldest are dropped.
 */
export async function mergeLogs(
  store: ArtifactStore,
  { maxBytes = LOG_FILE_BYTES, maxFiles = LOG_FILES } = {},
): Promise<void> {
  const keys = Array.from({ length: maxFiles }, (_, file) => logKey(file));
  const added: Line[] = [];
  /** Count of each line in the present parts. */
  const counts = new Map<string, number>();
  for await (const { key } of store.list(logPartsPrefix())) {
    for await (const line of readRows<{ time: string }>(store, key)) {
      const text = toWellFormedJson(line) as string;
      counts.set(text, (counts.get(text) ?? 0) + 1);
      added.push({ time: line.time, text });
    }
  }
  const earlier: Line[] = [];
  for (const key of keys) {
    for (const line of await linesSoFar(store, key)) {
      const count = counts.get(line.text) ?? 0;
      if (count === 0) earlier.push(line);
      else counts.set(line.text, count - 1);
    }
  }
  const lines = [...earlier, ...added].sort((left, right) =>
    left.time < right.time ? -1 : left.time > right.time ? 1 : 0,
  );
  const files = inFiles(lines, maxBytes).slice(0, maxFiles);
  // The newest one last: until then it holds what moves to the others.
  for (const [file, texts] of [...files.entries()].reverse())
    await store.writeStream(logKey(file), textOf(texts));
  if (files.length < maxFiles) await store.delete(keys.slice(files.length));
}

/** Distributes lines over files of limited size: the newest first, each in order. */
function inFiles(lines: readonly Line[], maxBytes: number): string[][] {
  const files: string[][] = [[]];
  let bytes = 0;
  for (const { text } of lines.toReversed()) {
    const size = Buffer.byteLength(text) + 1;
    if (bytes > 0 && bytes + size > maxBytes) {
      files.push([]);
      bytes = 0;
    }
    files.at(-1)?.push(text);
    bytes += size;
  }
  return files.map((texts) => texts.reverse());
}

async function* textOf(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`;
}

/** Reads the present lines of a log. An invalid line must not fail the end of an experiment. */
async function linesSoFar(store: ArtifactStore, key: string): Promise<Line[]> {
  const stream = await store.openRead(key);
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
    const line = JSON.parse(text) as { time?: unknown } | null;
    return typeof line?.time === 'string' ? { time: line.time, text } : null;
  } catch {
    return null;
  }
}
