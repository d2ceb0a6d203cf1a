import { padded, segment } from '../../storage/paths.js';

/** What the run's workflow is told, and which tasks it works on. */
export function planKey(): string {
  return 'plan.json';
}

/**
 * The rows that were written at once; a repeated write of the same rows lands on the same key.
 * @param by the workflow's own execution, since one that was reset counts from an earlier number and writes other rows.
 */
export function partKey(execution: string, sequence: number, by: string): string {
  return `${partsPrefix(execution)}${padded(sequence)}-${segment(by)}.jsonl`;
}

/** Lists every part of an execution, in the order in which they were written. */
export function partsPrefix(execution: string): string {
  return `parts/${segment(execution)}/`;
}

/** Lists the parts of every execution. */
export function everyPartPrefix(): string {
  return 'parts/';
}

/** The result of a finished execution, under the hash that identifies it. */
export function executionKey(key: string): string {
  return `executions/${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Lists the results of every execution. */
export function executionsPrefix(): string {
  return 'executions/';
}

/** Entries of a lane's memory that were written down at once. */
export function journalKey(execution: string, lane: number, sequence: number): string {
  return `${journalPrefix(execution, lane)}${padded(sequence)}.json`;
}

/** Lists a lane's journal in order. */
export function journalPrefix(execution: string, lane: number): string {
  return `journal/${segment(execution)}/${padded(lane)}/`;
}

/** Lists the journals of every execution. */
export function everyJournalPrefix(): string {
  return 'journal/';
}

/** What one request for vectors has cost. */
export function paidEmbeddingKey(id: string): string {
  return `${paidEmbeddingsPrefix()}${segment(id)}.json`;
}

/** Lists what every request for vectors has cost. */
export function paidEmbeddingsPrefix(): string {
  return 'embeddings/';
}

/** The folder of a model's vectors, shared by the runs of a results folder. Lies beside the experiments' folders. */
export function vectorCachePrefix(model: string): string {
  return `.cache/vectors/${segment(model)}`;
}

/** The tasks of one chunk of the dataset, a task a row. */
export function taskChunkKey(chunk: number): string {
  return `dataset/${padded(chunk)}.jsonl`;
}

/** What `reprise score` writes. */
export const rescoredKeys = { metrics: 'rescored/metrics.json', results: 'rescored/results.jsonl' } as const;
