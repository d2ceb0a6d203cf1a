import { isMapping } from '../../../contracts/json.js';
import { lastObject } from '../../../replies/json-objects.js';
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

/** Reads a judge's reply: a JSON object with an entry for each criterion. Other fields are ignored. */
export function readVerdict(text: string, criteria: readonly Criterion[]): ReadVerdict {
  const names = criteria.map(({ name }) => name);
  const last = lastObject(text, names);
  if ('fault' in last) return { ok: false, ...last };
  const found = last.object;
  const entryOf = (name: string) => (Object.hasOwn(found, name) ? found[name] : undefined);
  const faults = criteria.flatMap((criterion) => entryFault(criterion, entryOf(criterion.name)) ?? []);
  const ofAll = entryOf(EPISODE_FIELD) ?? null;
  const episode = ofAll === null ? null : episodeIn(ofAll);
  if (ofAll !== null && episode === null) {
    faults.push(`"${EPISODE_FIELD}" must be an object with "reason" and "success"; it is ${shown(ofAll)}.`);
  }
  if (faults.length > 0) return { ok: false, fault: faults.join(' ').slice(0, LONGEST_FAULT) };
  const entries = criteria.map(({ name }) => {
    const entry = entryOf(name) as { score: number };
    return [name, { score: entry.score, reason: reasonIn(entry) }] as const;
  });
  return { ok: true, verdict: Object.fromEntries(entries), ...(episode === null ? {} : { episode }) };
}
