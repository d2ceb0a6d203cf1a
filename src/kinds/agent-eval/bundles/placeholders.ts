import type { Json } from '../../../contracts/json.js';

/** A `{{…}}` that means nothing. */
export class PlaceholderError extends Error {
  override readonly name = 'PlaceholderError';
}

/** A backslash before it makes the braces a text's own. */
const PLACEHOLDER = /(\\?)\{\{([^{}]*)\}\}/g;
const RELATIVE_DAY = /^(today|weekday)(?:\s*([+-])\s*(\d{1,5}))?$/;
const RESULT = /^result\.(\d+)((?:\.\w+)*)$/;
/** In a prompt, what may have been meant for a date; braces around anything else are the text's own. */
const WORDS = /^[\w\s.+-]*$/;
/** The same in data, such as a seed, which may hold templates of other programs. */
const DATE_WORDS = /^(?:today|weekday|now|tomorrow|yesterday)\b[\s\d+-]*\w?$/;
const DAY_MS = 86_400_000;
const KNOWN = '{{today}}, {{today+1}}, {{weekday}}, {{weekday-7}} and {{now}}';

/** What a text is: where a prompt holds a placeholder that is not known, it is a mistake; data may hold any braces. */
export type TextKind = 'prompt' | 'data';

/**
 * Writes out the relative dates of a text: `{{today+1}}` is a day such as 2026-03-03, `{{weekday+1}}` its name,
 * `{{now}}` the present time as SQL writes it. All in UTC, as SQL counts. `\{{today}}` stays, without its backslash.
 * @param now ISO 8601
 * @throws PlaceholderError for another `{{…}}` that may have been meant for one.
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

/** {@link fillInDates} in every text of a value that is data. */
export function fillInAllDates<Value extends Json>(value: Value, now: string): Value {
  return mapTexts(value, (text) => fillInDates(text, now, 'data')) as Value;
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

/** {@link fillInDates}, except that placeholders of results stay, and what {@link fillInResults} is to leave alone. */
export function fillInOracleDates<Value extends Json>(value: Value, now: string): Value {
  return mapTexts(value, (text) =>
    text.replace(PLACEHOLDER, (written: string, mark: string, within: string) => {
      const inner = within.trim();
      return mark !== '' || RESULT.test(inner) ? written : dateIn(inner, written, now, 'prompt');
    }),
  ) as Value;
}

/** @param value what stands for a placeholder, by what is in it and by how it is written */
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
