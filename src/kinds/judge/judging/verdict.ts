import { isMapping } from '../../../contracts/json.js';
import type { Criterion } from '../schema.js';
import { EPISODE_FIELD } from './fields.js';

/** Verdict on a step: a score and the reason for it, by the criterion's name. */
export type Verdict = Readonly<Record<string, { score: number; reason: string }>>;

export interface EpisodeVerdict {
  success: boolean;
  rationale: string;
}

export type ReadVerdict =
  | { ok: true; verdict: Verdict; episode?: EpisodeVerdict }
  | { ok: false; fault: string };

/** Limit of requests for a verdict on one step. */
export const MAX_TRIES = 3;

/** Error type of a step for which no reply was a verdict. */
export const MALFORMED_VERDICT = 'MalformedVerdict';

/** Limit of a fault's description, in characters. */
const LONGEST_FAULT = 600;

/** Lines that begin or end a fenced block. */
const FENCES = /^[ \t]*```\w*[ \t]*$/m;

/** Finds what stands in braces in a text, outermost pairs only. Braces in quotes within a pair, or escaped, are text. */
function bracedIn(text: string): string[] {
  const found: string[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (const { 0: mark, index } of text.matchAll(/\\.|["{}]/gs)) {
    if (mark === '"') isQuoted = depth > 0 && !isQuoted;
    if (isQuoted) continue;
    if (mark === '{') {
      if (depth === 0) start = index;
      depth += 1;
    } else if (mark === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, index + 1));
    }
  }
  return found;
}

/** Matches the texts in JSON, and commas before a closing bracket. */
const PIECES = /"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g;

/** Escapes what models leave as it is in a text, such as LaTeX and line breaks, and drops commas too much. */
function mended(candidate: string): string {
  return candidate.replace(PIECES, (piece) =>
    piece.replace(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\\\p{Cc}]|^,$/gu, (code) => {
      if (code === ',') return '';
      return code.length > 1 ? code : JSON.stringify(code).slice(1, -1);
    }),
  );
}

/** Finds the JSON objects in a reply, in order: those of each fenced block, and those of the text around them. */
function objectsIn(text: string): Record<string, unknown>[] {
  return text
    .split(FENCES)
    .flatMap(bracedIn)
    .map((candidate) => objectIn(candidate) ?? objectIn(mended(candidate)))
    .filter((object) => object !== null);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : null;
  } catch {
    return null;
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60);
}

/** Names under which judges write a reason; the first one is asked for. */
const REASONS = ['reason', 'rationale', 'explanation'];

/** Returns the reason in an entry; empty if there is none. */
function reasonIn(entry: Readonly<Record<string, unknown>>): string {
  const texts = REASONS.map((name) => entry[name]).filter((value) => typeof value === 'string');
  return texts.map((text) => text.trim()).find((text) => text !== '') ?? '';
}

/** Describes what is wrong with the entry of a criterion; null if nothing is. */
function entryFault({ name, range: [lowest, highest] }: Criterion, entry: unknown): string | null {
  if (!isMapping(entry))
    return `"${name}" must be an object with "reason" and "score"; it is ${shown(entry)}.`;
  const { score, reason } = entry;
  if (typeof score !== 'number' || !(score >= lowest && score <= highest)) {
    return `"${name}": "score" must be a number from ${lowest} to ${highest}; it is ${shown(score)}.`;
  }
  if (reasonIn(entry) !== '') return null;
  return `"${name}": "reason" must be a text that says why; it is ${shown(reason)}.`;
}

/** Ways in which judges write whether an episode was a success; the first two are asked for. */
const SUCCESSES = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['yes', true],
  ['no', false],
  [1, true],
  [0, false],
]);

/** Reads the verdict on the whole episode. It needs no reason. Null if it does not say whether it was a success. */
function episodeIn(entry: unknown): EpisodeVerdict | null {
  const said = isMapping(entry) ? (entry.success ?? entry.score) : entry;
  const success = SUCCESSES.get(typeof said === 'string' ? said.trim().toLowerCase() : said);
  return success === undefined ? null : { success, rationale: isMapping(entry) ? reasonIn(entry) : '' };
}

/**
 * Reads a judge's reply: a JSON object with an entry for each criterion. Of several, the last one with all entries
 * counts: the others are drafts, or repeat the form. Other fields are ignored.
 */
export function readVerdict(text: string, criteria: readonly Criterion[]): ReadVerdict {
  const objects = objectsIn(text);
  const isWhole = (object: object) => criteria.every(({ name }) => Object.hasOwn(object, name));
  const found = objects.findLast(isWhole) ?? objects.at(-1);
  if (found === undefined) return { ok: false, fault: 'The reply holds no JSON object.' };
  const entryOf = (name: string) => (Object.hasOwn(found, name) ? found[name] : undefined);
  const faults = criteria.flatMap((criterion) => entryFault(criterion, entryOf(criterion.name)) ?? []);
  const whole = entryOf(EPISODE_FIELD) ?? null;
  const episode = whole === null ? null : episodeIn(whole);
  if (whole !== null && episode === null) {
    faults.push(`"${EPISODE_FIELD}" must be an object with "reason" and "success"; it is ${shown(whole)}.`);
  }
  if (faults.length > 0) return { ok: false, fault: faults.join(' ').slice(0, LONGEST_FAULT) };
  const entries = criteria.map(({ name }) => {
    const entry = entryOf(name) as { score: number };
    return [name, { score: entry.score, reason: reasonIn(entry) }] as const;
  });
  return { ok: true, verdict: Object.fromEntries(entries), ...(episode === null ? {} : { episode }) };
}
