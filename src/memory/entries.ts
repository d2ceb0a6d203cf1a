import type { Feedback } from '../contracts/environment.js';

/** Where an entry came from; lets an agent tell its sample's own attempts from other samples'. */
export interface Provenance {
  sample_id?: string;
  trial?: number;
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

/** One part of a step, logged on its own. */
export interface AtomicEntry extends Provenance {
  _type: 'Observation' | 'Action' | 'Feedback';
  content: string;
}

export type Entry = ExperienceEntry | ReflectionEntry | AtomicEntry;

const TEXT_TYPES = ['reflection', 'Observation', 'Action', 'Feedback'];

/** Whether a value read from a file is an entry. */
export function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Record<string, unknown>;
  if (entry._type === 'experience') {
    return (
      typeof entry.obs === 'string' && typeof entry.action === 'string' && typeof entry.feedback === 'object'
    );
  }
  return TEXT_TYPES.includes(entry._type as string) && typeof entry.content === 'string';
}

/**
 * The part of a feedback to remember. `outcome` drops the gold target, and a message that quotes it.
 */
export function rememberFeedback(feedback: Feedback, detail: 'full' | 'outcome'): RememberedFeedback {
  if (detail === 'full') return feedback;
  const { correct, target, message } = feedback;
  const revealing = !correct && target !== '' && message.includes(target);
  return { correct, message: revealing ? 'incorrect' : message };
}
