/** Chance that an interval ever misses the mean, however often it is looked at. */
const ALPHA = 0.05;
/** Largest part of the capital that is bet against a mean. */
const MAX_BET = 0.5;
const BISECTIONS = 40;

/**
 * Confidence interval of the mean of values from 0 to 1 that holds at all numbers of values at once, so that one may
 * stop at any: the means that hedged bets have excluded so far at no value, each bet set by the values before it
 * (Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting, J. R. Statist. Soc. B 86:1-27,
 * theorem 3). It holds where the order of the values does not depend on them.
 */
export class AnytimeMean {
  private readonly values: number[] = [];
  private readonly bets: number[] = [];
  private sum = 0;
  /** Squared distances to the means so far, begun with the variance of a fair coin. */
  private squares = 0.25;

  /**
   * @param aim half of the interval's length to reach in as few values as possible; null: any, so that it is short at
   * all numbers of values, and nowhere as short as it could be
   */
  constructor(private readonly aim: number | null = null) {}

  /** @throws RangeError for a value that is not from 0 to 1. */
  add(value: number): void {
    if (!(value >= 0 && value <= 1)) throw new RangeError(`${value} is not from 0 to 1`);
    const count = this.values.push(value);
    const variance = this.squares / count;
    // With this size of all bets, n values come to ± sqrt(2 ln(2/alpha) variance / n) at best: solved for ± aim.
    const bet =
      this.aim === null
        ? Math.sqrt((2 * Math.log(2 / ALPHA)) / (variance * count * Math.log(1 + count)))
        : this.aim / variance;
    this.bets.push(bet);
    this.sum += value;
    this.squares += (value - (0.5 + this.sum) / (count + 1)) ** 2;
  }

  get count(): number {
    return this.values.length;
  }

  /** The mean; NaN without a value. */
  get mean(): number {
    return this.sum / this.count;
  }

  /** Reports whether a mean lies outside of the interval. */
  excludes(mean: number): boolean {
    return this.isAbove(mean) || this.isBelow(mean);
  }

  get interval(): [number, number] {
    return [edge((mean) => this.isAbove(mean)), 1 - edge((beyond) => this.isBelow(1 - beyond))];
  }

  /** Reports whether the true mean is larger: the capital of who bets on that has grown too much. */
  private isAbove(mean: number): boolean {
    return this.isRich((value, bet) => Math.min(bet, MAX_BET / mean) * (value - mean));
  }

  private isBelow(mean: number): boolean {
    return this.isRich((value, bet) => -Math.min(bet, MAX_BET / (1 - mean)) * (value - mean));
  }

  /** Reports whether a capital has ever grown to what it does by chance in few cases only. */
  private isRich(gain: (value: number, bet: number) => number): boolean {
    // Half of the money is on either side.
    let capital = -Math.LN2;
    return this.values.some((value, index) => {
      capital += Math.log1p(gain(value, this.bets[index] as number));
      return capital >= -Math.log(ALPHA);
    });
  }
}

/** Returns the largest number from 0 to 1 up to which all are outside; 0 if none is. */
function edge(isOutside: (value: number) => boolean): number {
  let [low, high] = [0, 1];
  if (!isOutside(low)) return 0;
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2;
    if (isOutside(middle)) low = middle;
    else high = middle;
  }
  return low;
}
