import { countedText, dollarsText, durationText, percentText, scoreText } from '../statistics/figure-text.js';
import type { Fact, Interval, LineValue } from './fact.js';

/** Text for a missing value. */
const NOTHING = '–';

export type LineFact = Fact & { value: LineValue };

export const isLineFact = (fact: Fact): fact is LineFact =>
  fact.value.kind !== 'lines' && fact.value.kind !== 'table';

/**
 * Formats the uncertainty of a value, as `stderr 12.5 %, 95 % interval 25.0 % to 75.0 %`; null where it is not
 * shown, or the value is missing.
 */
export function uncertaintyText(value: LineValue): string | null {
  if (value.kind !== 'rate' && value.kind !== 'score') return null;
  const { interval, stderr } = value;
  if (interval === undefined || plainText(value) === NOTHING) return null;
  if (interval === null) return 'no interval';
  const error = stderr == null ? '' : `stderr ${TEXTS[value.kind](stderr)}, `;
  return `${error}95 % interval ${boundsText(interval, value.kind)}`;
}

const TEXTS = { rate: percentText, score: scoreText };

/** Formats the bounds of an interval, as `25.0 % to 75.0 %`. */
export function boundsText(interval: Interval, kind: keyof typeof TEXTS): string {
  return interval.map(TEXTS[kind]).join(' to ');
}

/** Formats the value alone. */
export function plainText(value: LineValue): string {
  switch (value.kind) {
    case 'state':
      return value.message === null ? value.phase : `${value.phase}: ${value.message}`;
    case 'text':
      return value.text;
    case 'address':
      return value.address;
    case 'count':
      return value.of === undefined ? `${value.count}` : `${value.count} of ${value.of}`;
    case 'money':
      return value.dollars === null ? 'unknown' : dollarsText(value.dollars);
    case 'duration':
      return durationText(value.seconds);
    case 'rate':
      return value.rate === null ? NOTHING : percentText(value.rate);
    case 'score':
      return value.score === null ? NOTHING : scoreText(value.score);
  }
}

const joined = (parts: readonly (string | null | undefined)[]) =>
  parts.filter((part) => part != null && part !== '').join(', ');

export const capitalised = (label: string) => label.charAt(0).toUpperCase() + label.slice(1);

/** Formats the value with its uncertainty, for a cell of a table. */
export function valueText(value: LineValue): string {
  return joined([plainText(value), uncertaintyText(value)]);
}

/** Formats the value with its uncertainty and note: `33, 2 repeated after a crash`. */
export function factText({ value, note }: LineFact): string {
  return joined([valueText(value), note]);
}

/** Phases that are left out of the one-line summary. */
const USUAL: readonly string[] = ['preparing', 'running', 'writing'];

/** Formats the state of an experiment; null where it has a usual phase and no message. */
export function stateText(facts: readonly Fact[]): string | null {
  for (const { value } of facts) {
    if (value.kind !== 'state') continue;
    return value.message === null && USUAL.includes(value.phase) ? null : plainText(value);
  }
  return null;
}

function isNothing(value: LineValue): boolean {
  if (value.kind === 'count') return value.count === 0;
  if (value.kind === 'money') return value.dollars === 0;
  return plainText(value) === NOTHING;
}

function briefText({ label, value }: LineFact): string {
  if (value.kind === 'money') return value.dollars === null ? `${label} unknown` : plainText(value);
  if (value.kind === 'text') return value.text;
  if (value.kind !== 'count' || value.noun === undefined) return `${label} ${plainText(value)}`;
  const { count, of, noun } = value;
  return of === undefined ? countedText(count, noun) : `${count} of ${countedText(of, noun)}`;
}

/** Formats the main facts of progress for one line: `12 of 20 samples · accuracy 75.0 % · 1 error`. */
export function briefParts(facts: readonly Fact[]): string[] {
  return facts
    .filter(isLineFact)
    .filter(({ brief, value }) => brief === 'always' || (brief === 'some' && !isNothing(value)))
    .map(briefText);
}

/** Returns a sentence for people on an experiment whose workers run bundles of units. */
export function byUnitText(units: string, why: string): string {
  return `Workers run bundles of ${units}, since ${why}: single calls are no steps of the workflow (grain: unit).`;
}
