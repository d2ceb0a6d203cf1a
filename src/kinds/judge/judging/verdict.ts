import { isMapping } from '../../../contracts/json.js';
import { type Criterion, EPISODE_FIELD } from '../schema.js';

/** What a judge says of a step: a score and the reason for it, by the criterion's name. */
export type Verdict = Readonly<Record<string, { score: number; reason: string }>>;

/** What a judge says of a whole episode. */
export interface EpisodeVerdict {
  success: boolean;
  rationale: string;
}

export type ReadVerdict =
  | { ok: true; verdict: Verdict; episode?: EpisodeVerdict }
  | { ok: false; fault: string };

/** A judge is asked this often for a verdict on a step. */
export const MOST_TRIES = 3;

/** The type of error of a step on which no reply was a verdict. */
export const MALFORMED_VERDICT = 'MalformedVerdict';

/** Characters of what is wrong with a reply. */
const LONGEST_FAULT = 600;

/** The object that a reply holds: all of it, a fenced block, or from the first brace to the last. */
function objectIn(text: string): Record<string, unknown> | null {
  const blocks = [...text.matchAll(/^```\w*[ \t]*\n([\s\S]*?)^```/gm)].map(([, content]) => content ?? '');
  const braced = text.slice(Math.max(text.indexOf('{'), 0), text.lastIndexOf('}') + 1);
  for (const candidate of [text, ...blocks, braced]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (isMapping(value)) return value;
    } catch {
      // Another candidate may be one.
    }
  }
  return null;
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60);
}

/** What is wrong with the entry of a criterion; null where nothing is. */
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

/** What is said of the whole episode; null where that is nothing, which does not make the verdict on the step less of one. */
function episodeIn(entry: unknown): EpisodeVerdict | null {
  if (!isMapping(entry)) return null;
  const { success, reason } = entry;
  if (typeof success !== 'boolean' || typeof reason !== 'string' || reason.trim() === '') return null;
  return { success, rationale: reason.trim() };
}

/** Reads a judge's reply: a JSON object with an entry for each criterion. Further fields are left out. */
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
