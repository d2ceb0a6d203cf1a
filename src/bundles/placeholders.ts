import type { Json } from '../contracts/json.js';

/** A `{{…}}` that means nothing. */
export class PlaceholderError extends Error {
  override readonly name = 'PlaceholderError';
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const RELATIVE_DAY = /^(today|weekday)(?:\s*([+-])\s*(\d{1,5}))?$/;
const RESULT = /^result\.(\d+)((?:\.\w+)*)$/;
const DAY_MS = 86_400_000;
const KNOWN = '{{today}}, {{today+1}}, {{weekday}}, {{weekday-7}} and {{now}}';

/**
 * Writes out the relative dates of a text: `{{today+1}}` is a day such as 2026-03-03, `{{weekday+1}}` its name,
 * `{{now}}` the present time as SQL writes it. All in UTC, as SQL counts.
 * @param now ISO 8601
 * @throws PlaceholderError for any other `{{…}}`.
 */
export function fillInDates(text: string, now: string): string {
  return fillIn(text, (inner, written) => {
    if (inner === 'now') return now.slice(0, 19).replace('T', ' ');
    const [, unit, sign, days = '0'] = RELATIVE_DAY.exec(inner) ?? [];
    if (unit === undefined) throw new PlaceholderError(`${written} is not known; there are ${KNOWN}`);
    const day = new Date(Date.parse(now) + Number(`${sign ?? '+'}${days}`) * DAY_MS);
    if (unit === 'today') return day.toISOString().slice(0, 10);
    return day.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
  });
}

/** {@link fillInDates} in every text of a value. */
export function fillInAllDates<Value extends Json>(value: Value, now: string): Value {
  return mapTexts(value, (text) => fillInDates(text, now)) as Value;
}

/**
 * Writes out what earlier actions of an oracle came to: `{{result.0.booking_id}}` is a field of the first action's
 * answer. A text that is nothing else becomes the value itself, which may be a number.
 * @param results the answers so far, by action
 * @throws PlaceholderError where there is no such value.
 */
export function fillInResults<Value extends Json>(
  value: Value,
  results: readonly (Json | undefined)[],
): Value {
  return mapTexts(value, (text) => {
    const [only] = [...text.matchAll(PLACEHOLDER)].filter(([, inner = '']) => RESULT.test(inner.trim()));
    if (only !== undefined && only[0] === text) return resultAt(only[1]?.trim() ?? '', results);
    return fillIn(text, (inner, written) => {
      if (!RESULT.test(inner)) return written;
      const result = resultAt(inner, results);
      return typeof result === 'string' ? result : JSON.stringify(result);
    });
  }) as Value;
}

/** {@link fillInAllDates}, except that placeholders of results stay. */
export function fillInOracleDates<Value extends Json>(value: Value, now: string): Value {
  return mapTexts(value, (text) =>
    fillIn(text, (inner, written) => (RESULT.test(inner) ? written : fillInDates(written, now))),
  ) as Value;
}

/** @param value what stands for a placeholder, by what is in it and by how it is written */
function fillIn(text: string, value: (inner: string, written: string) => string): string {
  return text.replace(PLACEHOLDER, (written: string, inner: string) => value(inner.trim(), written));
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
