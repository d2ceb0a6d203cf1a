import { AsWritten } from '../contracts/as-written.js';
import { withoutTrailing } from '../contracts/trailing.js';

/** Parses a decimal text; returns {@link AsWritten} where the number alone would be written differently. */
export function numberAsWritten(text: string): number | string | AsWritten {
  const number = Number(text);
  // A whole number beyond 2^53 is an id, not a quantity: a rounded number would be another id.
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(number)) return text;
  if (String(number) === text) return number;
  return new AsWritten(text, Number.isFinite(number) ? number : text);
}

/** Number of digits that a JavaScript number always holds exactly. */
const EXACT_DIGITS = 15;

/** Returns the decimal `unscaled · 10^-scale` with all its places; as text where a number would not be exact. */
export function decimalAsWritten(unscaled: bigint, scale: number): number | string | AsWritten {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const places = scale > 0 ? `.${digits.slice(-scale)}` : '0'.repeat(-scale);
  const text = `${unscaled < 0n ? '-' : ''}${scale > 0 ? digits.slice(0, -scale) : digits}${places}`;
  return digits.length <= EXACT_DIGITS ? numberAsWritten(text) : text;
}

/** Returns the shortest decimal of a 32-bit number, such as 0.1, which as a 64-bit number has 17 digits. */
export function singleAsWritten(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

const PER_MILLISECOND = { microseconds: 1000n, nanoseconds: 1_000_000n };

/** Formats a moment as ISO 8601, with all digits below a millisecond; null outside the range of dates. */
export function momentAsWritten(sinceEpoch: bigint, unit: keyof typeof PER_MILLISECOND): string | null {
  const per = PER_MILLISECOND[unit];
  const below = ((sinceEpoch % per) + per) % per;
  const date = new Date(Number((sinceEpoch - below) / per));
  if (Number.isNaN(date.getTime())) return null;
  const digits = withoutTrailing(below.toString().padStart(String(per).length - 1, '0'), /0/);
  return `${date.toISOString().slice(0, -1)}${digits}Z`;
}
