/** Beyond these nothing is looked for: costs are rounded to eight digits, and no run has a billion samples. */
const MOST_DIGITS = 10;

/** A number with so many digits behind the point, and with more where it would read as one of `others`, which it is not. */
function toldApart(value: number, digits: number, others: readonly number[]): string {
  const text = value.toFixed(digits);
  const misleads = others.includes(Number(text)) && !others.includes(value);
  return misleads && digits < MOST_DIGITS ? toldApart(value, digits + 1, others) : text;
}

/** A share as every table shows it: `12.5 %`. Only all reads as 100.0 %, and only none as 0.0 %. */
export function percentText(share: number): string {
  return `${toldApart(share * 100, 1, [0, 100])} %`;
}

/** US dollars as every table shows them: `$0.1234`. Only nothing reads as $0.0000. */
export function dollarsText(cost: number): string {
  return `$${toldApart(cost, 4, [0])}`;
}

/** Seconds as every table shows them: `12.3 s`, `3 min 20 s` or `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 120
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1 error`, `2 errors`. */
export function countedText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A score as text, wherever it stands alone: four digits after the point at most. */
export function scoreText(score: number): string {
  const scaled = score * 10_000;
  // So large a number has no digits after its point, and ten thousand times as much may be none at all.
  return String(Number.isSafeInteger(Math.round(scaled)) ? Math.round(scaled) / 10_000 : score);
}
