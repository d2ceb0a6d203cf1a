import type { MemoryAgentConfig } from '../config/agent-schemas.js';
import type { Agent, AgentLanguageModel, CodeExecutor, EpisodeInfo } from '../contracts/agent.js';
import type { Feedback } from '../contracts/environment.js';
import type { JsonObject } from '../contracts/json.js';
import type { ChatMessage, GenerateReply } from '../contracts/language-model.js';
import { child, type Logger, logger } from '../contracts/logger.js';
import { type Entry, type ExperienceEntry, rememberFeedback } from '../memory/entries.js';
import type { MemoryModule } from '../memory/memory-module.js';
import { EmptyReplyError, emptyReplyText, isMissing } from '../replies/reply-faults.js';

export const DEFAULT_SYSTEM_PROMPT = 'You are a helpful QA assistant. Use prior history when useful.';

/** Config fields that every memory agent reads. */
export type CommonAgentConfig = Pick<MemoryAgentConfig, 'system_prompt' | 'history_k' | 'feedback'>;

/** Arguments of an agent's constructor. */
export interface AgentContext<Config> {
  config: Config;
  memory: MemoryModule;
  languageModel: AgentLanguageModel;
  codeExecutor: CodeExecutor;
  /** Default: `run.log` of the experiment; outside of one, lines are dropped. */
  logger?: Logger;
}

/** @throws EmptyReplyError if a reply is empty: see {@link isMissing}. */
export function refuseEmpty(reply: GenerateReply): void {
  if (isMissing(reply)) throw new EmptyReplyError(emptyReplyText(reply));
}

/**
 * Agent whose prompt shows its newest memory entries, and which remembers every step. Subclasses change the prompt
 * (`buildUserPrompt`), what is remembered (`updateMemory`) and what happens after an episode (`endEpisode`).
 */
export class MemoryAgent<Config extends CommonAgentConfig = MemoryAgentConfig> implements Agent {
  readonly takesMessages = true;
  protected readonly config: Config;
  protected readonly memory: MemoryModule;
  protected readonly languageModel: AgentLanguageModel;
  protected readonly codeExecutor: CodeExecutor;
  private readonly log: Logger;
  protected episode: EpisodeInfo = { sample_id: '', trial: 0, num_trials: 1 };
  protected trajectory: ExperienceEntry[] = [];
  /** Observation and action of the newest step; a subclass that overrides `act` sets both. */
  protected lastObservation = '';
  protected lastAction = '';
  /** Counts of this episode, for `agent_metrics` in its row and, summed, for the metrics. */
  private counts: Record<string, number> = {};

  constructor(context: AgentContext<Config>) {
    this.config = context.config;
    this.memory = context.memory;
    this.languageModel = context.languageModel;
    this.codeExecutor = context.codeExecutor;
    this.log = context.logger ?? logger;
  }

  /** Log of the current episode: in an experiment, lines of `run.log` with its sample and trial. */
  protected get logger(): Logger {
    return child(this.log, '', { sample: this.episode.sample_id, trial: this.episode.trial });
  }

  reset(episode: EpisodeInfo): void {
    this.episode = episode;
    this.trajectory = [];
    this.lastObservation = '';
    this.lastAction = '';
    this.counts = {};
  }

  metrics(): Record<string, number> {
    return this.counts;
  }

  protected count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by;
  }

  async act(observation: string): Promise<string> {
    this.lastObservation = observation;
    const reply = await this.languageModel.generate({
      purpose: 'act',
      messages: this.messagesWith(this.buildUserPrompt(this.asked(observation)), this.buildSystemPrompt()),
    });
    refuseEmpty(reply);
    this.lastAction = reply.text;
    return reply.text;
  }

  async observe(_observation: string | null, feedback: Feedback, done: boolean): Promise<void> {
    const experience: ExperienceEntry = {
      _type: 'experience',
      obs: this.lastObservation,
      action: this.lastAction,
      feedback: rememberFeedback(feedback, this.config.feedback ?? 'full'),
      ...this.provenance(),
    };
    this.trajectory.push(experience);
    await this.updateMemory(experience, done);
  }

  /** Stores a step in the memory (extension point). */
  protected async updateMemory(experience: ExperienceEntry, _done: boolean): Promise<void> {
    this.memory.update(experience);
  }

  async endEpisode(): Promise<void> {}

  snapshot(): JsonObject {
    return {
      episode: { ...this.episode } as never,
      trajectory: [...this.trajectory] as never,
      last_observation: this.lastObservation,
      last_action: this.lastAction,
      ...(Object.keys(this.counts).length === 0 ? {} : { counts: { ...this.counts } }),
    };
  }

  restore(state: JsonObject): void {
    this.episode = state.episode as unknown as EpisodeInfo;
    this.trajectory = [...(state.trajectory as unknown as ExperienceEntry[])];
    this.lastObservation = state.last_observation as string;
    this.lastAction = state.last_action as string;
    this.counts = { ...(state.counts as Record<string, number> | undefined) };
  }

  protected provenance(): { sample_id: string; trial: number } {
    return { sample_id: this.episode.sample_id, trial: this.episode.trial };
  }

  /**
   * Returns the messages of a call: the system's, the task's own up to the user's last one, and the prompt in its place.
   * A system message of the task stands in the place of the default one, and after any other.
   */
  protected messagesWith(prompt: string, system: string | null): ChatMessage[] {
    const earlier = this.episode.messages?.slice(0, -1) ?? [];
    const given = earlier.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
    const own = system === null || (given.length > 0 && system === DEFAULT_SYSTEM_PROMPT) ? [] : [system];
    const texts = [...own, ...given];
    return [
      ...(texts.length === 0 ? [] : [{ role: 'system' as const, content: texts.join('\n\n') }]),
      ...earlier.filter(({ role }) => role !== 'system'),
      { role: 'user', content: prompt },
    ];
  }

  /**
   * Returns an observation as a prompt shows it: of a conversation, the user's last message, since the earlier ones stand
   * before it.
   */
  protected asked(observation: string): string {
    const last = this.episode.messages?.at(-1);
    return last === undefined || this.trajectory.length > 0 ? observation : last.content;
  }

  /** Joins what a prompt shows of the memory and the observation; of a conversation, that stands alone as it is. */
  protected withObservation(shown: readonly string[], label: string, observation: string): string {
    if (shown.length === 0 && this.episode.messages !== undefined) return observation;
    return [...shown, `${label}: ${observation}`].join('\n');
  }

  protected buildSystemPrompt(): string {
    return this.config.system_prompt ?? DEFAULT_SYSTEM_PROMPT;
  }

  /** Returns the newest `history_k` entries, oldest first. */
  protected recentEntries(): readonly Entry[] {
    return this.config.history_k === 0 ? [] : this.memory.recall().slice(-this.config.history_k);
  }

  protected buildUserPrompt(observation: string): string {
    const lines = this.recentEntries().map((entry) => {
      if (entry._type !== 'experience') return `${entry._type}: ${entry.content}`;
      return `Q: ${entry.obs}\nA: ${entry.action}\nF: ${JSON.stringify(entry.feedback)}`;
    });
    return this.withObservation(lines, 'Q', observation);
  }
}
