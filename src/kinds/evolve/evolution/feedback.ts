import { scoreText } from '../../../statistics/figure-text.js';
import { clip, fenced, LOG_HEAD } from './prompt-text.js';
import type { DatasetExample, ScaffoldRunData } from './types.js';

/** Limits of the feedback in the prompt that evolves a scaffold. */
export interface FeedbackBudget {
  /** Runs that score below this have failed. */
  failing_below: number;
  max_examples: number;
  /** Maximum characters of the whole section. */
  max_characters: number;
}

/** Minimum characters for a run to be readable. */
const SMALLEST_RUN = 200;

/** Run of the scaffold that is to be evolved. */
export type FeedbackRun = Omit<ScaffoldRunData, 'files'>;

/** Returns the worst failed runs: lowest score first, equal scores by the example's id. */
export function worstRuns(
  runs: readonly FeedbackRun[],
  { failing_below, max_examples }: FeedbackBudget,
): FeedbackRun[] {
  return runs
    .filter(({ score }) => score < failing_below)
    .sort((left, right) => left.score - right.score || compareTexts(left.example.id, right.example.id))
    .slice(0, max_examples);
}

/**
 * Writes the section of a prompt on a scaffold's worst training runs, never longer than its budget: the runs share the
 * room, and what a short one does not use goes to the ones after it. Runs that would get too little to be readable are
 * left out, the highest scores first. Empty where nothing failed or nothing fits.
 */
export function feedbackSection(
  runs: readonly FeedbackRun[],
  expectedOutput: (example: DatasetExample) => string,
  budget: FeedbackBudget,
): string {
  const heading = '## Training examples on which it did worst\n';
  const text = runsText(worstRuns(runs, budget), expectedOutput, budget.max_characters - heading.length);
  return text === '' ? '' : `${heading}${text}`;
}

/** Writes runs one after another in at most `room` characters: the first ones, as many as get enough to be readable. */
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

/** Returns what the scorer reports on a run besides its score: its message, and a line for each metric. */
export function judgementText({ message, metrics = {} }: Pick<FeedbackRun, 'message' | 'metrics'>): string {
  const figures = Object.entries(metrics).map(([name, value]) => `${name}: ${scoreText(value)}`);
  return [message, ...figures].filter((line) => line.trim() !== '').join('\n');
}

const compareTexts = (left: string, right: string) => (left < right ? -1 : Number(left > right));

/** Writes a run in at most `most` characters: as it is, or with its long parts cut to the same length. */
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
  // The highest limit for a part that fits: short parts leave their room to long ones.
  let fits = 0;
  let tooLong = 1 + Math.max(0, ...parts.map(({ text }) => text.length));
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (render(middle).length <= most) fits = middle;
    else tooLong = middle;
  }
  return clip(render(fits), most);
}
