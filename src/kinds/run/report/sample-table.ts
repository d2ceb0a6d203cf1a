import type { TaskRow } from '../../../contracts/results.js';
import { count, NOTHING } from '../../../reports/figures.js';
import { type Html, html } from '../../../reports/html.js';
import { TABLE_END, tableStart } from '../../../reports/table.js';
import type { Metrics } from '../results.js';

/** Limit of samples, for the browser; all rows are in `results.jsonl`. */
const MAX_SAMPLES = 1000;
/** Limit of an answer or a message, in characters. */
const LONGEST_TEXT = 160;

/** Yields one row per sample: each trial's outcome, and the last answer beside the right one. */
export async function* sampleTable(
  rows: AsyncIterable<TaskRow> | Iterable<TaskRow>,
  { samples: counted, success_by_trial, epochs = 1 }: Metrics,
): AsyncGenerator<string> {
  const ofEpoch = success_by_trial.length;
  const trials = ofEpoch * epochs;
  const samples = Math.ceil(counted / epochs);
  const sorted = [
    'sample',
    ...Array.from({ length: trials }, (_, trial) => trialName(trial, ofEpoch, epochs)),
  ];
  const heads = [
    ...sorted.map((name) => html`<th scope="col" data-sort="ascending">${name}</th>`),
    'last answer',
    'right answer',
  ];
  const shown = Math.min(samples, MAX_SAMPLES);
  yield html`${samples > MAX_SAMPLES && html`<p class="note">The first ${count(shown)} of ${count(samples)}; all are in <a href="./results.jsonl">results.jsonl</a>.</p>\n`}${tableStart({ label: 'Table of samples', heads, isFramed: true, isSortable: true })}`
    .text;
  let place = 0;
  let sample: TaskRow[] = [];
  for await (const row of rows) {
    if (sample[0] !== undefined && sample[0].id !== row.id) {
      yield sampleRow(sample, trials, place++).text;
      sample = [];
      if (place === MAX_SAMPLES) break;
    }
    sample.push(row);
  }
  if (sample.length > 0) yield sampleRow(sample, trials, place).text;
  yield TABLE_END.text;
}

/** Names a trial, from 0 over all epochs, by the epoch if there are several. */
function trialName(trial: number, ofEpoch: number, epochs: number): string {
  const name = `trial ${(trial % ofEpoch) + 1}`;
  if (epochs === 1) return name;
  const epoch = `epoch ${Math.floor(trial / ofEpoch) + 1}`;
  return ofEpoch === 1 ? epoch : `${epoch}, ${name}`;
}

const OUTCOMES = { error: 0, failure: 1, success: 2 };

function sampleRow(rows: readonly TaskRow[], trials: number, place: number): Html {
  const last = rows.at(-1) as TaskRow;
  const cells = Array.from({ length: trials }, (_, trial) => {
    const row = rows.find((one) => one.trial === trial);
    if (row === undefined) return html`<td data-key="">${NOTHING}</td>`;
    const outcome = row.error !== null ? 'error' : row.feedback?.correct ? 'success' : 'failure';
    return html`<td data-key="${OUTCOMES[outcome]}"><span class="status ${outcome}">${outcome}</span></td>`;
  });
  const answer =
    last.error !== null ? `${last.error.type}: ${last.error.message}` : (answerOf(last) ?? NOTHING);
  return html`<tr><th scope="row" data-key="${place}">${cut(last.id)}</th>${cells}<td class="wide">${cut(answer)}</td><td class="wide">${cut(last.feedback?.target ?? last.target ?? NOTHING)}</td></tr>\n`;
}

function answerOf({ extracted, action }: TaskRow): string | null {
  if (extracted === null) return action;
  return typeof extracted === 'string' ? extracted : JSON.stringify(extracted);
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '')}…`;
}
