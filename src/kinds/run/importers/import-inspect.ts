import { InvalidInputError } from '../../../config/errors.js';
import { countedText } from '../../../statistics/figure-text.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLines, readableJson } from '../../../storage/json-lines.js';
import { artifactKeys } from '../../../storage/paths.js';
import type { InspectLog } from './inspect-log.js';
import {
  type DatasetRow,
  datasetRow,
  type ImportedRow,
  importedCalls,
  importedRow,
  inspectScores,
} from './inspect-rows.js';

/** What an import has written, and what could not be carried over. */
export interface Imported {
  /** What each file holds, by its name. */
  files: Record<string, string>;
  notes: string[];
}

const DATASET = 'dataset.jsonl';
const HEADER = 'header.json';

/** Returns the score that becomes the reward: the one that is asked for, else the first of the log. */
async function chosenScore(
  log: InspectLog,
  asked: string | undefined,
): Promise<{ score: string | null; names: string[] }> {
  const found = new Set<string>();
  for await (const sample of log.samples()) {
    for (const name of Object.keys(inspectScores(sample))) found.add(name);
    // A scorer may leave samples out.
    if (asked === undefined ? found.size > 0 : found.has(asked)) break;
  }
  const names = [...found];
  if (asked === undefined) return { score: names[0] ?? null, names };
  if (found.has(asked)) return { score: asked, names };
  throw new InvalidInputError(
    `--score ${asked}: the log has no ${names.length === 0 ? 'scores' : `such score; it has ${names.join(', ')}`}`,
  );
}

/**
 * Writes the samples of a log as rows of a run, its calls of models as a recording, and its dataset.
 * @param asked name of the score that becomes the reward
 */
export async function importInspect(
  log: InspectLog,
  store: ArtifactStore,
  asked?: string,
): Promise<Imported> {
  const { score, names } = await chosenScore(log, asked);
  const rows: ImportedRow[] = [];
  const dataset = new Map<string, DatasetRow>();
  let recorded = 0;
  async function* calls() {
    for await (const sample of log.samples()) {
      const made = importedCalls(sample);
      rows.push(importedRow(sample, score, made));
      if (!dataset.has(sample.id)) dataset.set(sample.id, datasetRow(sample));
      recorded += made.length;
      yield* made;
    }
  }
  await store.writeStream(artifactKeys.calls, jsonLines(calls()));
  const most = rows.reduce((highest, { reward }) => Math.max(highest, reward ?? 0), 0);
  // On a scale such as 1 to 5, nothing says what a success is.
  const isScale = most >= 1.5;
  if (isScale) for (const { feedback } of rows) if (feedback !== null) feedback.correct = undefined;
  await store.writeStream(DATASET, jsonLines(dataset.values()));
  await store.write(HEADER, readableJson(log.header));
  await store.writeStream(artifactKeys.results, jsonLines(rows));
  const failed = rows.filter(({ error }) => error !== null);
  const scored = failed.filter(({ scores }) => score !== null && scores[score] != null).length;
  const notes = notesOf(log, score, names);
  const counted = log.header.results?.total_samples ?? 0;
  if (rows.length < counted) {
    notes.push(
      `The log's own results are of ${countedText(counted, 'sample')}, and it holds ${rows.length}.`,
    );
  }
  if (isScale) {
    notes.push(
      `The score ${score} goes up to ${most}, and nothing says what is correct; reprise stats takes the least reward of a success as --success-reward.`,
    );
  }
  if (scored > 0) {
    notes.push(
      `${countedText(scored, 'row')} with an error and a score: an error here, and in the log's own metrics by its score.`,
    );
  }
  if ([...dataset.values()].some(({ choices }) => choices !== undefined))
    notes.push(`Its samples have choices: a run of ${DATASET} needs dataset.choices_field: choices.`);
  return {
    files: {
      [artifactKeys.results]: `${countedText(rows.length, 'row')}, ${countedText(failed.length, 'error')}`,
      [artifactKeys.calls]: countedText(recorded, 'call'),
      [DATASET]: countedText(dataset.size, 'sample'),
      [HEADER]: `of the task ${log.header.eval.task} with ${log.header.eval.model}`,
    },
    notes,
  };
}

function notesOf({ header }: InspectLog, score: string | null, names: readonly string[]): string[] {
  const others = names.filter((name) => name !== score);
  const notes: string[] = [];
  if (header.status !== 'success') {
    notes.push(`The log has the status '${header.status}': samples may be missing.`);
  }
  if (score === null) notes.push('The log has no scores, so no row has a reward.');
  else if (others.length > 0) {
    notes.push(`The reward is the score ${score}; --score takes another: ${others.join(', ')}.`);
  }
  return notes;
}
