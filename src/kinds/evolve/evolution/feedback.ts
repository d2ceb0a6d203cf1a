import { scoreText } from '../../../statistics/figure-text.js';
import { clip, fenced, LOG_HEAD } from './prompt-text.js';
import type { DatasetExample, ScaffoldRunData } from './types.js';

/** How much of a scaffold's failures goes into the prompt that evolves it. */
export interface FeedbackBudget {
  /** Runs that score below this have failed. */
  failing_below: number;
  most_examples: number;
  /** Characters of the whole section. */
  most_characters: number;
}

/** Less room than this tells nothing about a run. */
const SMALLEST_RUN = 200;

/** A run of the scaffold that is to be evolved. */
export type FeedbackRun = Omit<ScaffoldRunData, 'files'>;

/** The runs that failed worst: lowest score first, equal scores by the example's id. */
export function worstRuns(
  runs: readonly FeedbackRun[],
  { failing_below, most_examples }: FeedbackBudget,
): FeedbackRun[] {
  return runs
    .filter(({ score }) => score < failing_below)
    .sort((left, right) => left.score - right.score || compareTexts(left.example.id, right.example.id))
    .slice(0, most_examples);
}

/**
 * The section of a prompt on a scaffold's worst training runs, never longer than its budget: the runs share the room,
 * and what a short one leaves goes to the ones after it. Runs that would get too little to be read are left out, the
 * least bad first. Empty where nothing failed or nothing fits.
 */
export function feedbackSection(
  runs: readonly FeedbackRun[],
  expectedOutput: (example: DatasetExample) => string,
  budget: FeedbackBudget,
): string {
  const heading = '## Training examples on which it did worst\n';
  const text = runsText(worstRuns(runs, budget), expectedOutput, budget.most_characters - heading.length);
  return text === '' ? '' : `${heading}${text}`;
}

/** Runs one after another in at most `room` characters: the first ones, as many as get enough of it to be read. */
export function runsText(
  runs: readonly FeedbackRun[],
  expectedOutput: (example: DatasetExample) => string,
  room: number,
): string {
  const shown = runs.slice(0, Math.max(0, Math.floor(room / SMALLEST_RUN)));
  let left = room;
  const texts = shown.map((run, index) => {
    const share = Math.floor(left / (shown.length - index)) - SEPARATOR.length;
    const text = runText(run, expectedOutput(run.example), share);
    left -= text.length + SEPARATOR.length;
    return text;
  });
  return texts.join(SEPARATOR);
}

const SEPARATOR = '\n\n';

/** What the scorer says of a run beside its score: its sentence, and a line for each of its metrics. */
export function judgementText({ message, metrics = {} }: Pick<FeedbackRun, 'message' | 'metrics'>): string {
  const figures = Object.entries(metrics).map(([name, value]) => `${name}: ${scoreText(value)}`);
  return [message, ...figures].filter((line) => line.trim() !== '').join('\n');
}

const compareTexts = (left: string, right: string) => (left < right ? -1 : Number(left > right));

/** A run in at most `most` characters: as it is, or with each of its long parts cut to what it can have. */
function runText(run: FeedbackRun, expected: string, most: number): string {
  const parts = [
    { label: 'Input', text: run.example.input, head: 0.5 },
    { label: 'Expected output', text: expected, head: 0.5 },
    { label: 'Actual output', text: run.actual_output, head: 0.5 },
    { label: 'Printed', text: run.printed, head: 0.5 },
    { label: 'Execution log', text: run.execution_log, head: LOG_HEAD },
    { label: 'The scorer says', text: judgementText(run), head: 0.5 },
  ].filter(({ text }) => text.trim() !== '');
  const render = (limit: number) =>
    [
      `### Score ${scoreText(run.score)}`,
      ...parts.map(({ label, text, head }) => `${label}:\n${fenced(clip(text, limit, head))}`),
    ].join('\n');
  // The longest limit for a part that fits: what is short leaves its room to what is long.
  let fits = 0;
  let tooLong = 1 + Math.max(0, ...parts.map(({ text }) => text.length));
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (render(middle).length <= most) fits = middle;
    else tooLong = middle;
  }
  return clip(render(fits), most);
}
