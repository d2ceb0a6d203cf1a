import { executionsPrefix, padded, segment } from '../../storage/paths.js';

/** Returns the key of the plan and of the selection of tasks. */
export function planKey(): string {
  return 'plan.json';
}

/**
 * Returns the key of rows that were written together; repeating the write uses the same key.
 * @param by the workflow's own execution, since a reset one counts from an earlier number and writes other rows.
 */
export function partKey(execution: string, sequence: number, by: string): string {
  return `${partsPrefix(execution)}${padded(sequence)}-${segment(by)}.jsonl`;
}

/** Returns the prefix of an execution's parts, in the order in which they were written. */
export function partsPrefix(execution: string): string {
  return `parts/${segment(execution)}/`;
}

/** Returns the prefix of all executions' parts. */
export function everyPartPrefix(): string {
  return 'parts/';
}

/** Returns the key of a finished program's result, by the program's hash. */
export function executionKey(key: string): string {
  return `${executionsPrefix()}${segment(key.slice(0, 2))}/${segment(key)}.json`;
}

/** Returns the key of a batch of a lane's journal. */
export function journalKey(execution: string, lane: number, sequence: number): string {
  return `${journalPrefix(execution, lane)}${padded(sequence)}.json`;
}

/** Returns the prefix of a lane's journal, in order. */
export function journalPrefix(execution: string, lane: number): string {
  return `journal/${segment(execution)}/${padded(lane)}/`;
}

/** Returns the prefix of all journals. */
export function everyJournalPrefix(): string {
  return 'journal/';
}

/** Returns the key of a lane of many samples, by its first slot, from which a bundle continues it. */
export function keptLaneKey(execution: string, from: number): string {
  return `${keptLanesPrefix()}${segment(execution)}/${padded(from)}.json`;
}

/** Returns the prefix of all kept lanes. */
export function keptLanesPrefix(): string {
  return 'lanes/';
}

/** Returns the key of the cost of a request for vectors. */
export function paidEmbeddingKey(id: string): string {
  return `${paidEmbeddingsPrefix()}${segment(id)}.json`;
}

/** Returns the prefix of the costs of all requests for vectors. */
export function paidEmbeddingsPrefix(): string {
  return 'embeddings/';
}

/**
 * Returns the folder of a model's vectors, which the runs of a results folder share, beside the experiments' folders.
 */
export function vectorCachePrefix(model: string): string {
  return `.cache/vectors/${segment(model)}`;
}

/** Returns the key of one chunk of the dataset, one task per row. */
export function taskChunkKey(chunk: number): string {
  return `dataset/${padded(chunk)}.jsonl`;
}

/** Keys that `reprise score` writes. */
export const rescoredKeys = { metrics: 'rescored/metrics.json', results: 'rescored/results.jsonl' } as const;

/** Key of the actions of a run's rows, as a recording. */
export const actionsKey = () => 'rescored/actions.jsonl';

/** Key of the scores of the run that `limits.stop_when.against` names. */
export function baselineKey(): string {
  return 'baseline.json';
}
