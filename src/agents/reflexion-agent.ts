import type { ReflexionAgentConfig } from '../config/agent-schemas.js';
import type { ChatMessage } from '../contracts/language-model.js';
import { type Entry, type ExperienceEntry, isOfSample, type ReflectionEntry } from '../memory/entries.js';
import { formatEntry } from './history-agent.js';
import { MemoryAgent } from './memory-agent.js';

export const DEFAULT_REFLECTION_PROMPT =
  'You review an attempt at a task and write advice for the next one. Say in a few short sentences what went ' +
  'wrong or right and what to do and to avoid next time. Give general advice, not just a new answer.';

/**
 * Reflexion agent (Shinn et al., 2023, arXiv 2303.11366): after an attempt the model writes a verbal reflection, and
 * the next trial reads it. `strategy` decides what a retry sees: nothing, the last attempt, the reflections, or both.
 */
export class ReflexionAgent extends MemoryAgent<ReflexionAgentConfig> {
  private get reflection() {
    return this.config.reflection_config;
  }

  private get reflects(): boolean {
    const { enabled, strategy } = this.reflection;
    return enabled && (strategy === 'reflexion' || strategy === 'last_attempt_and_reflexion');
  }

  private get showsLastAttempt(): boolean {
    return ['last_attempt', 'last_attempt_and_reflexion'].includes(this.reflection.strategy);
  }

  protected override async updateMemory(experience: ExperienceEntry, done: boolean): Promise<void> {
    await super.updateMemory(experience, done);
    if (this.reflection.mode !== 'episode_end') await this.reflectOn([experience]);
  }

  override async endEpisode(): Promise<void> {
    if (this.reflection.mode !== 'per_step') await this.reflectOn(this.trajectory);
  }

  /** Adds a reflection on steps of this episode, unless they succeeded and `reflect_on_success` is off. */
  private async reflectOn(steps: readonly ExperienceEntry[]): Promise<void> {
    const last = steps.at(-1);
    if (!this.reflects || last === undefined) return;
    if (last.feedback.correct && !this.reflection.reflect_on_success) return;
    const { max_tokens } = this.reflection;
    const reply = await this.languageModel.generate({
      purpose: 'reflect',
      messages: this.buildReflectionPrompt(steps),
      ...(max_tokens === null ? {} : { parameters: { max_output_tokens: max_tokens } }),
    });
    const content = reply.text.trim();
    // An empty reflection is useless; the call itself is recorded with its finish reason.
    if (content !== '') this.memory.update({ _type: 'reflection', content, ...this.provenance() });
  }

  protected buildReflectionPrompt(steps: readonly ExperienceEntry[]): ChatMessage[] {
    const earlier = this.reflections().map(formatEntry);
    const text = [
      ...(earlier.length > 0 ? ['Reflections so far:', ...earlier, ''] : []),
      `Attempt ${this.episode.trial + 1}:`,
      ...steps.map(formatEntry),
      '',
      'Write the reflection.',
    ].join('\n');
    return [
      { role: 'system', content: this.reflection.system_prompt ?? DEFAULT_REFLECTION_PROMPT },
      { role: 'user', content: text },
    ];
  }

  /** Returns the newest `max_reflections` reflections, oldest first. */
  private reflections(): ReflectionEntry[] {
    const all = this.memory
      .recall()
      .filter((entry): entry is ReflectionEntry => entry._type === 'reflection');
    return all.slice(-this.reflection.max_reflections);
  }

  /** Returns the steps of this sample's previous trial. */
  private lastAttempt(): Entry[] {
    const { sample_id, trial } = this.episode;
    return this.memory
      .recall()
      .filter(
        (entry) => entry._type === 'experience' && isOfSample(entry, sample_id) && entry.trial === trial - 1,
      );
  }

  /**
   * Returns the newest experiences of other samples, a loaded memory and this episode; the strategy decides about this
   * sample's earlier trials.
   */
  protected override recentEntries(): readonly Entry[] {
    if (this.config.history_k === 0) return [];
    const { sample_id, trial } = this.episode;
    return this.memory
      .recall()
      .filter(
        (entry) => entry._type !== 'reflection' && (!isOfSample(entry, sample_id) || entry.trial === trial),
      )
      .slice(-this.config.history_k);
  }

  protected override buildUserPrompt(observation: string): string {
    const lines = this.recentEntries().map(formatEntry);
    const attempt = this.showsLastAttempt ? this.lastAttempt() : [];
    if (attempt.length > 0) lines.push('Your last attempt:', ...attempt.map(formatEntry));
    if (this.reflects) lines.push(...this.reflections().map(formatEntry));
    return this.withObservation(lines, 'Observation', observation);
  }
}
