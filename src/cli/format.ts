import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import wrapAnsi from 'wrap-ansi';
import { printable } from '../contracts/printable.js';
import type { CallFigures, ErrorCause, Metrics } from '../contracts/results.js';
import type { Beside, Repeats } from '../contracts/step-cost.js';
import { besideRows, estimatedText, repeatedText } from '../statistics/beside-text.js';
import { callFigureRows } from '../statistics/call-figures.js';
import { errorLines, errorText, warningsText } from '../statistics/error-lines.js';
import { countedText, dollarsText, durationText, percentText } from '../statistics/figure-text.js';
import { ofTrialText, trialRows } from '../statistics/trial-figures.js';

export function percent(share: number | null): string {
  return share === null ? '–' : percentText(share);
}

export function dollars(cost: number | null): string {
  return cost === null ? 'unknown (no price for this model)' : dollarsText(cost);
}

/** What is said below a table of the errors in it: a line for each cause; nothing where there is none. */
export function errorReport(
  counts: Readonly<Record<string, number>>,
  causes?: readonly ErrorCause[],
): string[] {
  const lines = errorLines(counts, causes);
  return lines.length === 0
    ? []
    : [
        [
          'Errors by cause, each with its first message:',
          ...lines.map((line) => `  ${errorText(line)}`),
        ].join('\n'),
      ];
}

/** The same where errors are known by their causes alone. */
export function causeReport(causes: readonly ErrorCause[] = []): string[] {
  const counts = new Map<string, number>();
  for (const { type, count } of causes) counts.set(type, (counts.get(type) ?? 0) + count);
  return errorReport(Object.fromEntries(counts), causes);
}

/** An artifact address as a person types it: a folder as a path, from here where it lies below. */
export function shownAddress(address: string): string {
  if (!address.startsWith('file:')) return address;
  const path = fileURLToPath(address);
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}

/** A phase, and why the experiment does not go on where that is known. */
export function stateText({ phase, message }: { phase: string; message: string | null }): string {
  return message === null ? phase : `${phase}: ${message}`;
}

/** The same at the end of a line that tells of an experiment in progress; nothing where it simply goes on. */
export function stateParts(progress: { phase: string; message: string | null }): string[] {
  return progress.phase === 'running' && progress.message === null ? [] : [stateText(progress)];
}

/** How an experiment ended, and why where that is known. */
export function statusText({ status, status_message }: Pick<Metrics, 'status' | 'status_message'>): string {
  return status_message === null ? status : `${status} (${status_message})`;
}

/** What was spent so far, in a sentence. */
export function costSoFarText(cost: number | null): string {
  return cost === null ? 'cost unknown' : dollars(cost);
}

/** What an experiment has spent, as the rows of its table. */
export function spendingRows(
  metrics: Pick<Metrics, 'lm_calls' | 'usage' | 'cost_usd' | 'wall_seconds' | keyof Repeats | keyof Beside> &
    Partial<CallFigures>,
): string[][] {
  const { usage } = metrics;
  const thought = usage.reasoning_tokens === undefined ? '' : ` (${usage.reasoning_tokens} reasoning)`;
  return [
    ...callFigureRows(metrics),
    ['LM calls', `${metrics.lm_calls}, ${repeatedText(metrics)}${estimatedText(metrics)}`],
    ['tokens', `${usage.input_tokens} in, ${usage.output_tokens} out${thought}`],
    ['cost', dollars(metrics.cost_usd)],
    ...besideRows(metrics),
    ['time', durationText(metrics.wall_seconds)],
  ];
}

/** What of the code, or of the prices, was not the same all along; nothing where it was. */
export function changedRows<What extends string>(
  changes: readonly (Record<What, number> & { modules: string[] })[] | undefined,
  what: What,
): string[][] {
  return (changes ?? []).map((change) => [
    'changed meanwhile',
    `${change.modules.join(', ')}, after ${change[what]} of the ${what}`,
  ]);
}

/** A line that says where an experiment writes; none where that is not known yet. */
export function artifactLines(artifacts: string): string[] {
  return artifacts === '' ? [] : [`Artifacts: ${shownAddress(artifacts)}`];
}

/** What is said of an experiment in progress that nobody works on. */
export function withoutWorker(id: string): string {
  return `${id} is in progress, but no worker answers. Continue it with the command that started it, or with: npx reprise worker`;
}

/** Columns of a cell's line; what is longer, such as the message of a server, goes on below. */
const WIDEST_LINE = 100;

function table(head: string[], rows: string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  // Shown as they are printed: what a terminal acts on would have no width here.
  drawn.push(...rows.map((row) => row.map((cell) => wrapAnsi(printable(cell), WIDEST_LINE))));
  return drawn.toString();
}

/** A table with a head line. */
export function headedTable(head: string[], rows: string[][]): string {
  return table(head, rows);
}

function confusionTable(confusion: Record<string, Record<string, number>>): string {
  const answers = [...new Set(Object.values(confusion).flatMap((counts) => Object.keys(counts)))].sort();
  const rows = Object.entries(confusion).map(([target, counts]) => [
    target,
    ...answers.map((answer) => String(Object.hasOwn(counts, answer) ? counts[answer] : 0)),
  ]);
  return table(['target \\ answered', ...answers], rows);
}

/** The result of a run, as people read it. The numbers are those of `metrics.json`. */
export function metricsTable(metrics: Metrics): string {
  const ofPlanned = metrics.samples === metrics.samples_planned ? '' : ` of ${metrics.samples_planned}`;
  const judged = metrics.samples - metrics.errors;
  const rows: string[][] = [
    ['status', statusText(metrics)],
    ['model', metrics.model + (metrics.simulated ? ' (a simulation: no benchmark figure)' : '')],
    [
      `accuracy${ofTrialText(metrics.accuracy_of)}`,
      `${percent(metrics.accuracy)} (${metrics.correct} of ${judged} judged samples)`,
    ],
    ['samples', `${metrics.samples}${ofPlanned}, ${countedText(metrics.episodes, 'episode')}`],
  ];
  rows.push(...trialRows(metrics));
  rows.push(...changedRows(metrics.code_changes, 'episodes'));
  rows.push(['errors', metrics.errors === 0 ? '0' : `${metrics.errors}, not counted as wrong`]);
  if (metrics.warnings > 0) rows.push(['warnings', warningsText(metrics)]);
  for (const [what, count] of Object.entries(metrics.agent_metrics ?? {})) {
    rows.push([what.replaceAll('_', ' '), String(count)]);
  }
  if (metrics.code_executions !== undefined) {
    rows.push(['programs run', `${metrics.code_executions}, ${metrics.code_executions_failed ?? 0} failed`]);
  }
  if (metrics.embeddings !== undefined) {
    const { texts, input_tokens, estimated, cost_usd } = metrics.embeddings;
    const guess =
      estimated === undefined ? '' : `, ${countedText(estimated, 'request')} with estimated tokens`;
    rows.push(['embeddings', `${texts} texts, ${input_tokens} tokens, ${dollars(cost_usd)}${guess}`]);
  }
  rows.push(...spendingRows(metrics));
  const tables = [table([], rows), ...errorReport(metrics.error_types, metrics.error_causes)];
  for (const [task, figures] of Object.entries(metrics.by_task)) {
    if (figures.confusion !== undefined)
      tables.push(`${task}, target letter by answered letter:`, confusionTable(figures.confusion));
  }
  return tables.join('\n');
}
