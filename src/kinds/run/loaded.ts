import type { AgentConfig } from '../../config/agent-schemas.js';
import type { MemoryConfig } from '../../config/memory-schemas.js';
import { isMapping } from '../../contracts/json.js';
import { type Entry, type RememberedFeedback, rememberFeedback } from '../../memory/entries.js';
import type { MemorySnapshot } from '../../memory/memory-module.js';
import type { Loaded, Shown } from './prompt-parts.js';

type Detail = 'full' | 'outcome';

/** Parses a `Feedback` entry of the history agent, which is a feedback as JSON; null for another text. */
function feedbackIn(content: string): RememberedFeedback | null {
  try {
    const value: unknown = JSON.parse(content);
    return isMapping(value) ? (value as unknown as RememberedFeedback) : null;
  } catch {
    return null;
  }
}

function loadedEntry<Kind extends Entry>(entry: Kind, detail: Detail): Kind {
  if (entry._type === 'experience')
    return { ...entry, feedback: rememberFeedback(entry.feedback, detail), loaded: true };
  const feedback = entry._type === 'Feedback' ? feedbackIn(entry.content) : null;
  if (feedback === null) return { ...entry, loaded: true };
  return { ...entry, content: JSON.stringify(rememberFeedback(feedback, detail)), loaded: true };
}

/**
 * Returns a saved memory as a run begins with it: its entries are marked as loaded, and hold only as much of how
 * answers were judged as `agent.feedback` lets this run remember.
 */
export function asLoaded(saved: MemorySnapshot, detail: Detail): MemorySnapshot {
  const made = { ...saved };
  for (const list of ['entries', 'experiences']) {
    const entries = saved[list];
    if (!Array.isArray(entries)) continue;
    made[list] = (entries as unknown as Entry[]).map((entry) => loadedEntry(entry, detail)) as never;
  }
  return made;
}

function shownIn(feedback: Partial<RememberedFeedback>): Shown {
  const { target, extra } = feedback;
  if (String(target ?? '').trim() !== '' || typeof extra?.target_letter === 'string') return 'full';
  return feedback.correct === undefined ? 'none' : 'outcome';
}

/** Returns what an entry reveals of how answers were judged; unknown for a text such as a reflection. */
function shownBy(entry: Entry): Shown {
  if (entry._type === 'experience') return shownIn(entry.feedback);
  if (entry._type === 'Observation' || entry._type === 'Action') return 'none';
  const feedback = entry._type === 'Feedback' ? feedbackIn(entry.content) : null;
  return feedback === null ? 'unknown' : shownIn(feedback);
}

/** Returns the entries that prompts can show: entries of this run are added after them. */
function within<Kind>(entries: readonly Kind[], newest: number): readonly Kind[] {
  return newest === 0 ? [] : entries.slice(-newest);
}

/**
 * Returns what prompts can show of memories that a run begins with, as {@link asLoaded} made them: one for all, or one
 * per sample.
 */
export function loadedFacts(
  { agent, memory }: { agent: AgentConfig; memory: MemoryConfig },
  memories: readonly MemorySnapshot[],
): Loaded {
  const isReflexion = agent.type === 'reflexion_agent';
  const length = 'max_length' in memory ? memory.max_length : 0;
  const shown = new Set<Shown>();
  const facts = { reflections: false, experiences: false, sheet: false };
  for (const { entries, experiences, cheatsheet } of memories) {
    const kept = Array.isArray(entries) ? within(entries as unknown as Entry[], length) : [];
    const history = isReflexion ? kept.filter(({ _type }) => _type !== 'reflection') : kept;
    for (const entry of within(history, agent.history_k)) shown.add(shownBy(entry));
    facts.reflections ||= history.length < kept.length;
    facts.experiences ||= Array.isArray(experiences) && experiences.length > 0;
    facts.sheet ||= typeof cheatsheet === 'string' && cheatsheet !== '';
  }
  return { ...facts, entries: [...shown] };
}
