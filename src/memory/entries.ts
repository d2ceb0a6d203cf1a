import type { Feedback } from '../contracts/environment.js';

/**
 * Origin of an entry, by which an agent distinguishes its sample's attempts from other samples', see {@link
 * isOfSample}.
 */
export interface Provenance {
  sample_id?: string;
  trial?: number;
  /** True for a loaded entry: its sample belongs to another run, perhaps with other data, whatever its id. */
  loaded?: true;
}

/**
 * Reports whether an entry is of a sample of this run. Ids are often row numbers, so those of loaded entries do not
 * count.
 */
export function isOfSample({ loaded, sample_id }: Provenance, id: string): boolean {
  return loaded !== true && sample_id === id;
}

/** Feedback in a memory, without `target` if a retry could read the answer from it. */
export type RememberedFeedback = Omit<Feedback, 'target'> & { target?: string };

/** Complete step of an episode. */
export interface ExperienceEntry extends Provenance {
  _type: 'experience';
  obs: string;
  action: string;
  feedback: RememberedFeedback;
}

/** Advice derived from earlier experience. */
export interface ReflectionEntry extends Provenance {
  _type: 'reflection';
  content: string;
}

/** One part of a step, or a text that an agent makes of several parts, as an entry. */
interface AtomicEntry extends Provenance {
  _type: 'Observation' | 'Action' | 'Feedback' | 'Reflection' | 'Summary' | 'Retrieval';
  content: string;
}

/** Complete version of the cheatsheet. */
export interface CheatsheetEntry extends Provenance {
  _type: 'cheatsheet';
  content: string;
}

export type Entry = ExperienceEntry | ReflectionEntry | CheatsheetEntry | AtomicEntry;

/** Reports whether a value is an entry. An agent's own entries may have any type, with a text. */
export function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Record<string, unknown>;
  if (entry._type === 'experience') {
    const { obs, action, feedback } = entry;
    return (
      typeof obs === 'string' &&
      typeof action === 'string' &&
      typeof feedback === 'object' &&
      feedback !== null
    );
  }
  return typeof entry._type === 'string' && typeof entry.content === 'string';
}

/** Maximum characters of an invalid entry in a message. */
const SHOWN = 100;

/**
 * Checks an entry that an agent writes. An invalid one would otherwise fail the run later, when the memory is passed on
 * or loaded.
 * @throws TypeError that shows the value.
 */
export function checkEntry(value: unknown): asserts value is Entry {
  if (isEntry(value)) return;
  const text = String(JSON.stringify(value));
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  throw new TypeError(
    `the memory was given ${shown}, which is no entry: an entry has a text _type and a text content, and an experience obs, action and feedback`,
  );
}

/** Reports whether a text holds a word that is no part of a longer one: `142` does not hold `42`. */
function holdsWord(text: string, word: string): boolean {
  const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + word.length]];
    const grows = isLetter(before) && isLetter(word[0] ?? '');
    if (!grows && !(isLetter(after) && isLetter(word.at(-1) ?? ''))) return true;
  }
  return false;
}

/**
 * Reports whether a message reveals the target. Graders end theirs with it, shortened if it is long; of a target that
 * is a whole solution (`… #### 42`) they quote only the answer.
 */
function quotesTarget(target: string, message: string): boolean {
  if (target.trim() === '') return false;
  const last = message.trim().replace(/\.$/, '').split(/\s+/).at(-1) ?? '';
  return message.includes(target) || last.endsWith('…') || (last !== '' && holdsWord(target, last));
}

/**
 * Returns the part of a feedback to remember. `outcome` drops the gold target, and a message that quotes it. Feedback
 * that was written by hand may lack either.
 */
export function rememberFeedback(
  feedback: RememberedFeedback,
  detail: 'full' | 'outcome',
): RememberedFeedback {
  if (detail === 'full') return feedback;
  const { correct, message, target } = feedback;
  const quotes = !correct && quotesTarget(String(target ?? ''), String(message ?? ''));
  return { correct, message: quotes ? 'incorrect' : message };
}
