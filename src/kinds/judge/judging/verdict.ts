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

/** Finds the JSON object in a reply: all of it, a fenced block, or from the first brace to the last. */
function objectIn(text: string): Record<string, unknown> | null {
  const blocks = [...text.matchAll(/^```\w*[ \t]*\n([\s\S]*?)^```/gm)].map(([, content]) => content ?? '');
  const braced = text.slice(Math.max(text.indexOf('{'), 0), text.lastIndexOf('}') + 1);
  for (const candidate of [text, ...blocks, braced]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (isMapping(value)) return value;
    } catch {
      // Another candidate may be valid JSON.
    }
  }
  return null;
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60);
}

/** Describes what is wrong with the entry of a criterion; null if nothing is. */
function entryFault({ name, range: [lowest, highest] }: Criterion, entry: unknown): string | null {
  if (!isMapping(entry))
    return `"${name}" must be an object with "reason" and "score"; it is ${shown(entry)}.`;
  const { score, reason } = entry;
  if (typeof score !== 'number' || !(score >= lowest && score <= highest)) {
    return `"${name}": "score" must be a number from ${lowest} to ${highest}; it is ${shown(score)}.`;
  }
  if (typeof reason === 'string' && reason.trim() !== '') return null;
  return `"${name}": "reason" must be a text that says why; it is ${shown(reason)}.`;
}

/** Reads the verdict on the whole episode; null if there is none, which does not invalidate the verdict on the step. */
function episodeIn(entry: unknown): EpisodeVerdict | null {
  if (!isMapping(entry)) return null;
  const { success, reason } = entry;
  if (typeof success !== 'boolean' || typeof reason !== 'string' || reason.trim() === '') return null;
  return { success, rationale: reason.trim() };
}

/** Reads a judge's reply: a JSON object with an entry for each criterion. Other fields are ignored. */
export function readVerdict(text: string, criteria: readonly Criterion[]): ReadVerdict {
  const found = objectIn(text.trim());
  if (found === null) return { ok: false, fault: 'The reply holds no JSON object.' };
  const entryOf = (name: string) => (Object.hasOwn(found, name) ? found[name] : undefined);
  const faults = criteria.flatMap((criterion) => entryFault(criterion, entryOf(criterion.name)) ?? []);
  if (faults.length > 0) return { ok: false, fault: faults.join(' ').slice(0, LONGEST_FAULT) };
  const entries = criteria.map(({ name }) => {
    const { score, reason } = entryOf(name) as { score: number; reason: string };
    return [name, { score, reason: reason.trim() }] as const;
  });
  const episode = episodeIn(entryOf(EPISODE_FIELD));
  return { ok: true, verdict: Object.fromEntries(entries), ...(episode === null ? {} : { episode }) };
}
