import type { Json } from '../../../contracts/json.js';

/** Error of a `{{…}}` that is unknown or has no value. */
export class PlaceholderError extends Error {
  override readonly name = 'PlaceholderError';
}

/** Placeholder, or literal braces after a backslash. */
const PLACEHOLDER = /(\\?)\{\{([^{}]*)\}\}/g;
const RELATIVE_DAY = /^(today|weekday)(?:\s*([+-])\s*(\d{1,5}))?$/;
const RESULT = /^result\.(\d+)((?:\.\w+)*)$/;
/** Content of braces in a prompt that may be a mistyped date; braces around anything else are literal. */
const WORDS = /^[\w\s.+-]*$/;
/** The same in data, such as a seed, which may contain templates of other programs. */
const DATE_WORDS = /^(?:today|weekday|now|tomorrow|yesterday)\b[\s\d+-]*\w?$/;
const DAY_MS = 86_400_000;
const KNOWN = '{{today}}, {{today+1}}, {{weekday}}, {{weekday-7}} and {{now}}';

/** Kind of a text: in data, fewer unknown placeholders count as mistakes than in a prompt. */
export type TextKind = 'prompt' | 'data';

/**
 * Fills in the relative dates of a text: `{{today+1}}` is a day such as 2026-03-03, `{{weekday+1}}` its name, `{{now}}`
 * the present time in SQL format. All are in UTC, as in SQL. `\{{today}}` stays, without its backslash.
 * @param now ISO 8601
 * @throws PlaceholderError for an unknown `{{…}}` that may be a mistyped date.
 */
export function fillInDates(text: string, now: string, kind: TextKind = 'prompt'): string {
  return fillIn(text, (inner, written) => dateIn(inner, written, now, kind));
}

function dateIn(inner: string, written: string, now: string, kind: TextKind): string {
  if (inner === 'now') return now.slice(0, 19).replace('T', ' ');
  const [, unit, sign, days = '0'] = RELATIVE_DAY.exec(inner) ?? [];
  if (unit === undefined) {
    if (!(kind === 'data' ? DATE_WORDS : WORDS).test(inner)) return written;
    throw new PlaceholderError(
      `${written} is not known; there are ${KNOWN}. Write \\${written} for the braces themselves`,
    );
  }
  const day = new Date(Date.parse(now) + Number(`${sign ?? '+'}${days}`) * DAY_MS);
  if (unit === 'today') return day.toISOString().slice(0, 10);
  return day.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
}

/** Applies {@link fillInDates} to every text of a value that is data. */
export function fillInAllDates<Value extends Json>(value: Value, now: string): Value {
  return mapTexts(value, (text) => fillInDates(text, now, 'data')) as Value;
}

/**
 * Fills in the results of earlier oracle actions: `{{result.0.booking_id}}` is a field of the first action's result. A
 * text that is only such a placeholder becomes the value itself, which may be a number.
 * @param results the results so far, by action
 * @throws PlaceholderError if there is no such value.
 */
export function fillInResults<Value extends Json>(
  value: Value,
  results: readonly (Json | undefined)[],
): Value {
  return mapTexts(value, (text) => {
    const [only] = text.matchAll(PLACEHOLDER);
    const isOnly = only !== undefined && only[0] === text && only[1] === '';
    if (isOnly && RESULT.test((only[2] as string).trim()))
      return resultAt((only[2] as string).trim(), results);
    return fillIn(text, (inner, written) => {
      if (!RESULT.test(inner)) return written;
      const result = resultAt(inner, results);
      return typeof result === 'string' ? result : JSON.stringify(result);
    });
  }) as Value;
}

/** Applies {@link fillInDates}, but leaves placeholders of results and escaped braces to {@link fillInResults}. */
export function fillInOracleDates<Value extends Json>(value: Value, now: string): Value {
  return mapTexts(value, (text) =>
    text.replace(PLACEHOLDER, (written: string, mark: string, within: string) => {
      const inner = within.trim();
      return mark !== '' || RESULT.test(inner) ? written : dateIn(inner, written, now, 'prompt');
    }),
  ) as Value;
}

/** @param value returns the replacement of a placeholder, given the content of its braces and its whole text */
function fillIn(text: string, value: (inner: string, written: string) => string): string {
  return text.replace(PLACEHOLDER, (written: string, mark: string, inner: string) =>
    mark === '' ? value(inner.trim(), written) : written.slice(1),
  );
}

function resultAt(inner: string, results: readonly (Json | undefined)[]): Json {
  const [, action = '', path = ''] = RESULT.exec(inner) ?? [];
  let value = results[Number(action)];
  for (const key of path.split('.').filter((part) => part !== '')) {
    const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = holds ? (value as Record<string, Json>)[key] : undefined;
  }
  if (value === undefined) {
    throw new PlaceholderError(`{{${inner}}}: action ${action} has no such answer (actions count from 0)`);
  }
  return value;
}

function mapTexts(value: Json, replace: (text: string) => Json): Json {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, replace)]));
}
