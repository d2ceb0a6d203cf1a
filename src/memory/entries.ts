import type { Feedback } from '../contracts/environment.js';

/** Where an entry came from; lets an agent tell its sample's own attempts from other samples', see {@link isOfSample}. */
export interface Provenance {
  sample_id?: string;
  trial?: number;
  /** It was loaded: its sample is one of another run, perhaps of other data, whatever its id is. */
  loaded?: true;
}

/** Whether an entry is of a sample of this run. Ids are often row numbers, so that those of a loaded memory say nothing here. */
export function isOfSample({ loaded, sample_id }: Provenance, id: string): boolean {
  return loaded !== true && sample_id === id;
}

/** What is remembered of a feedback. `target` is left out where a retry could read the answer from it. */
export type RememberedFeedback = Omit<Feedback, 'target'> & { target?: string };

/** One step of an episode, whole. */
export interface ExperienceEntry extends Provenance {
  _type: 'experience';
  obs: string;
  action: string;
  feedback: RememberedFeedback;
}

/** Advice distilled from earlier experience. */
export interface ReflectionEntry extends Provenance {
  _type: 'reflection';
  content: string;
}

/** One part of a step, or what an agent makes of several, logged on its own. */
interface AtomicEntry extends Provenance {
  _type: 'Observation' | 'Action' | 'Feedback' | 'Reflection' | 'Summary' | 'Retrieval';
  content: string;
}

/** A version of the cheatsheet, whole. */
export interface CheatsheetEntry extends Provenance {
  _type: 'cheatsheet';
  content: string;
}

export type Entry = ExperienceEntry | ReflectionEntry | CheatsheetEntry | AtomicEntry;

/** Whether a value is an entry. An agent's own may be of any type, with a text. */
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

/** Characters of what is no entry that are shown. */
const SHOWN = 100;

/**
 * What an agent writes is held to an entry's form at once: later it would be refused where the memory is carried on or
 * loaded, and the run with it.
 * @throws TypeError that shows it.
 */
export function checkEntry(value: unknown): asserts value is Entry {
  if (isEntry(value)) return;
  const text = String(JSON.stringify(value));
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  throw new TypeError(
    `the memory was given ${shown}, which is no entry: an entry has a text _type and a text content, and an experience obs, action and feedback`,
  );
}

/** Whether a text holds a word that is not the middle of another one: `42` is no part of `142`. */
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
 * Whether a message tells the target. The graders end theirs with it, cut short where it is long, and of a target that
 * is a whole solution (`… #### 42`) they quote only the answer.
 */
function quotesTarget(target: string, message: string): boolean {
  if (target.trim() === '') return false;
  const last = message.trim().replace(/\.$/, '').split(/\s+/).at(-1) ?? '';
  return message.includes(target) || last.endsWith('…') || (last !== '' && holdsWord(target, last));
}

/**
 * The part of a feedback to remember. `outcome` drops the gold target, and a message that quotes it. One that was written
 * by hand may lack either.
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
