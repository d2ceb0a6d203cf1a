import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import type { Metrics } from '../contracts/results.js';

export function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`;
}

export function dollars(cost: number | null): string {
  return cost === null ? 'unknown (no price for this model)' : `$${cost.toFixed(4)}`;
}

/** An artifact address as a person types it: a folder as a path, from here where it lies below. */
export function shownAddress(address: string): string {
  if (!address.startsWith('file:')) return address;
  const path = fileURLToPath(address);
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}

export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 120
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function table(head: string[], rows: string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
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
    ...answers.map((answer) => String(counts[answer] ?? 0)),
  ]);
  return table(['target \\ answered', ...answers], rows);
}

/** The result of a run, as people read it. The numbers are those of `metrics.json`. */
export function metricsTable(metrics: Metrics): string {
  const { usage } = metrics;
  const ofPlanned = metrics.samples === metrics.samples_planned ? '' : ` of ${metrics.samples_planned}`;
  const judged = metrics.samples - metrics.errors;
  const rows: string[][] = [
    ['status', metrics.status + (metrics.status_message === null ? '' : ` (${metrics.status_message})`)],
    ['model', metrics.model + (metrics.simulated ? ' (a simulation: no benchmark figure)' : '')],
    ['accuracy', `${percent(metrics.accuracy)} (${metrics.correct} of ${judged} judged samples)`],
    ['samples', `${metrics.samples}${ofPlanned}, ${metrics.episodes} episodes`],
  ];
  if (metrics.success_by_trial.length > 1) {
    const shares = metrics.success_by_trial.map((share, trial) => `trial ${trial + 1}: ${percent(share)}`);
    rows.push(['success by trial', shares.join(', ')]);
  }
  const errors = Object.entries(metrics.error_types).map(([type, count]) => `${count} ${type}`);
  rows.push([
    'errors',
    metrics.errors === 0 ? '0' : `${metrics.errors} (${errors.join(', ')}), not counted as wrong`,
  ]);
  if (metrics.truncated_replies > 0) rows.push(['cut-off replies', String(metrics.truncated_replies)]);
  rows.push(
    ['LM calls', `${metrics.lm_calls}, ${metrics.lm_calls_repeated} repeated after a crash`],
    ['tokens', `${usage.input_tokens} in, ${usage.output_tokens} out`],
    ['cost', dollars(metrics.cost_usd)],
    ['time', duration(metrics.wall_seconds)],
  );
  const tables = [table([], rows)];
  for (const [task, figures] of Object.entries(metrics.by_task)) {
    if (figures.confusion !== undefined)
      tables.push(`${task}, target letter by answered letter:`, confusionTable(figures.confusion));
  }
  return tables.join('\n');
}
