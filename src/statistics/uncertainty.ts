import { boundsOf, type Estimate } from './clustered-bootstrap.js';

/** Standard error and 95 % interval of a figure; null where fewer than two clusters, such as samples, have it. */
export type Uncertainty<Figure extends string> = Record<`${Figure}_stderr`, number | null> &
  Record<`${Figure}_interval`, [number, number] | null>;

/** Returns the fields of the uncertainty of a figure: `accuracy_stderr` and `accuracy_interval` of `accuracy`. */
export function uncertaintyOf<Figure extends string>(
  figure: Figure,
  interval: Estimate | null,
): Uncertainty<Figure> {
  return {
    [`${figure}_stderr`]: interval?.stderr ?? null,
    [`${figure}_interval`]: boundsOf(interval),
  } as Uncertainty<Figure>;
}
