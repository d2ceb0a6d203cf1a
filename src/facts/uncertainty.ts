import type { LineValue } from './fact.js';
import { boundsText } from './text.js';

/** Estimate with its uncertainty, if it has one. */
export type Estimate = Extract<LineValue, { kind: 'rate' | 'score' }>;

/** Heads of the columns of {@link estimateCells}, after that of the estimate itself. */
export const UNCERTAINTY_HEADS = ['stderr', '95 % interval'] as const;

/** Returns the cells of a table for an estimate, its standard error and its interval. */
export function estimateCells({ interval, stderr, ...estimate }: Estimate): LineValue[] {
  const error: LineValue =
    estimate.kind === 'rate'
      ? { kind: 'rate', rate: stderr ?? null }
      : { kind: 'score', score: stderr ?? null };
  const bounds = interval == null ? '–' : boundsText(interval, estimate.kind);
  return [estimate, error, { kind: 'text', text: bounds }];
}
