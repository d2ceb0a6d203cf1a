/** Maximum number of decimals: costs are rounded to eight digits, and no run has a billion samples. */
const MAX_DIGITS = 10;

/** Formats a number with `digits` decimals, and with more where it would falsely read as one of `others`. */
function toldApart(value: number, digits: number, others: readonly number[]): string {
  const text = value.toFixed(digits);
  const misleads = others.includes(Number(text)) && !others.includes(value);
  return misleads && digits < MAX_DIGITS ? toldApart(value, digits + 1, others) : text;
}

/** Formats a share for tables: `12.5 %`. Only 1 is shown as 100.0 %, and only 0 as 0.0 %. */
export function percentText(share: number): string {
  return `${toldApart(share * 100, 1, [0, 100])} %`;
}

/** Formats the difference of two shares for tables: `+12.5 points`. Only 0 is shown as 0.0 points. */
export function pointsText(difference: number): string {
  const points = toldApart(difference * 100, 1, [0]);
  return `${difference > 0 ? '+' : ''}${points} points`;
}

/** Formats a p-value for tables: `0.021`, or `2.1e-5` below 0.001. */
export function pValueText(pValue: number): string {
  return pValue < 0.001 ? pValue.toExponential(1) : pValue.toFixed(3);
}

/** Formats US dollars for tables: `$0.1234`. Only zero is shown as $0.0000. */
export function dollarsText(cost: number): string {
  return `$${toldApart(cost, 4, [0])}`;
}

/** Formats seconds for tables: `12.3 s`, `3 min 20 s` or `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 120
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats `1 error`, `2 errors`. */
export function countedText(count: number, what: string): string {
  return `${count} ${count === 1 ? what : pluralOf(what)}`;
}

/** Returns the plural of a noun, such as `trajectories`. */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** Bound from which a number is written with an exponent, as in JavaScript. */
const LARGE = 1e21;

/**
 * Formats a score: at most four decimals, and more where it would falsely read as a whole number, such as 0.99999 as 1.
 */
export function scoreText(score: number): string {
  if (Math.abs(score) >= LARGE) {
    const [digits, exponent] = score.toExponential(4).split('e');
    return `${Number(digits)}e${exponent}`;
  }
  const rounded = Number(score.toFixed(4));
  const exact = Number.isInteger(rounded) && rounded !== score;
  // Adding 0 removes the sign of negative zero.
  return String((exact ? Number(score.toFixed(MAX_DIGITS)) : rounded) + 0);
}
