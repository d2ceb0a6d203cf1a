import { figure, NOTHING } from '../../../reports/figures.js';
import type { Content } from '../../../reports/html.js';

/** Number of colours of the scale; classes `c0` (worst) to `c10` (best) of the page's style. */
const COLOURS = 11;

/** Scale of scores: an axis with its marks, and a colour for every score. */
export interface ScoreScale {
  low: number;
  high: number;
  /** Values of the axis marks, rising, including `low` and `high`. */
  ticks: number[];
  /** Digits after the point that distinguish the marks. */
  digits: number;
  /** Digits after the point of every score: as many as one of them needs, 4 at most. */
  scoreDigits: number;
}

/**
 * Creates a scale that holds all scores. It ranges from 0 to 1 where scores lie there and are far apart; else it is as
 * wide as they need, so that small progress is visible.
 * @param others scores that are written but not drawn.
 */
export function scoreScale(scores: readonly number[], others: readonly number[] = []): ScoreScale {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  const isFlat = scores.length === 0 || high - low <= 1e-9 * Math.abs(high);
  const isShare = scores.length === 0 || (low >= 0 && high <= 1);
  if (isShare && (isFlat || high - low >= 0.4)) [low, high] = [0, 1];
  else if (isFlat) [low, high] = [Math.min(0, low), Math.max(0, high)];
  const step = niceStep((high - low) / 4);
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9) + (isQuarter(step) ? 1 : 0)));
  const ticks: number[] = [];
  for (let mark = first; mark <= last; mark++) {
    ticks.push(Math.min(Number((mark * step).toFixed(12)), Number.MAX_VALUE));
  }
  const scoreDigits = digitsOf([...scores, ...others]);
  return { low: ticks[0] as number, high: ticks.at(-1) as number, ticks, digits, scoreDigits };
}

/** Returns a score's position from the scale's low end to its high one, within 0 and 1. */
export function positionOn({ low, high }: ScoreScale, score: number): number {
  return Math.min(1, Math.max(0, (score - low) / (high - low)));
}

/** Returns the class of a score's colour, or the class for no score. */
export function colourClass(scale: ScoreScale, score: number | null | undefined): string {
  if (score === null || score === undefined) return 'c-none';
  return `c${Math.round(positionOn(scale, score) * (COLOURS - 1))}`;
}

export const colourClasses = Array.from({ length: COLOURS }, (_, index) => `c${index}`);

/** Formats a score with as many digits as every other one on the page. */
export function alignedScore({ scoreDigits }: ScoreScale, score: number): string {
  return score.toFixed(scoreDigits);
}

function digitsOf(scores: readonly number[]): number {
  const most = 4;
  for (let digits = 0; digits < most; digits++) {
    if (scores.every((score) => Math.abs(score - Number(score.toFixed(digits))) < 1e-9)) return digits;
  }
  return most;
}

/** Returns 1, 2, 2.5 or 5 times a power of ten, not below the given width. */
function niceStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= width * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const isQuarter = (step: number) => step.toExponential().startsWith('2.5');
/** Shows a score in the common format. */
export function scoreFigure(scale: ScoreScale, score: number | null | undefined): Content {
  return score == null ? NOTHING : figure(score, alignedScore(scale, score));
}
