import type { HistoryAgentConfig } from '../config/agent-schemas.js';
import type { Entry, ExperienceEntry } from '../memory/entries.js';
import { type CommonAgentConfig, MemoryAgent } from './memory-agent.js';

/** Formats an entry as the history agent shows it, in most cases as `<TYPE>: <content>`. */
export function formatEntry(entry: Entry): string {
  switch (entry._type) {
    case 'experience':
      return `Observation: ${entry.obs}\nAction: ${entry.action}\nFeedback: ${JSON.stringify(entry.feedback)}`;
    case 'reflection':
      return `Reflection: ${entry.content}`;
    default:
      return `${entry._type}: ${entry.content}`;
  }
}

/**
 * Task-agnostic agent over a history: its prompt shows the last `history_k` entries as `<TYPE>: <content>` and then the
 * observation. It logs each step as three entries: Observation, Action and Feedback.
 */
export class HistoryAgent<Config extends CommonAgentConfig = HistoryAgentConfig> extends MemoryAgent<Config> {
  protected override buildUserPrompt(observation: string): string {
    return this.withObservation(this.recentEntries().map(formatEntry), 'Observation', observation);
  }

  protected override async updateMemory(experience: ExperienceEntry): Promise<void> {
    const origin = this.provenance();
    this.memory.update({ _type: 'Observation', content: experience.obs, ...origin });
    this.memory.update({ _type: 'Action', content: experience.action, ...origin });
    this.memory.update({ _type: 'Feedback', content: JSON.stringify(experience.feedback), ...origin });
  }
}
