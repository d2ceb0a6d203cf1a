import type { Agent, AgentLanguageModel, AgentRequest, CodeExecutor } from '../../../contracts/agent.js';
import { conversationText } from '../../../contracts/conversation.js';
import type { AwaitedStep, Feedback, StepAnswer } from '../../../contracts/environment.js';
import type { CallIdentity, GenerateReply } from '../../../contracts/language-model.js';
import type { EpisodeCall, EpisodeError } from '../../../contracts/results.js';
import { asError } from '../../../contracts/run-user-code.js';
import type { MemoryModule } from '../../../memory/memory-module.js';
import { cutOffText, isCutOff } from '../../../replies/reply-faults.js';
import {
  CallRefusedError,
  CutOffError,
  type LanePorts,
  OpenError,
  type OpenedSample,
  StepError,
} from '../../../runtime/ports.js';
import { sumOf } from '../../../statistics/sums.js';
import type { EpisodeState, LaneState } from './lane-state.js';

/** Outcome: `finished`, if every sample is done; `suspended`, if `state` says where to continue. */
export type LaneOutcome = 'finished' | 'suspended';

/** Checks what a user's class returns as an action. */
function checkedAction(action: unknown): string {
  if (typeof action === 'string') return action;
  throw new TypeError(`act answered ${action === null ? 'null' : typeof action}; it must be a text`);
}

function awaitedStep({ index }: OpenedSample, { environment }: EpisodeState): AwaitedStep {
  return environment === null ? { index } : { index, state: environment };
}

/** Numbers a trial of an epoch among all of its sample: so nothing of one epoch is found by another. */
function trialNumber({ first_trial = 0 }: OpenedSample, trial: number): number {
  return first_trial + trial;
}

/** Returns the identity that an episode's calls and programs have in common. */
function placeOf(sample: OpenedSample, trial: number): { sample_id: string; trial: number } {
  return { sample_id: sample.id, trial: trialNumber(sample, trial) };
}

/** Shows the images of a sample with the last message of the user. */
function withImages(request: AgentRequest, { images }: OpenedSample): AgentRequest {
  if (images === undefined) return request;
  const last = request.messages.findLastIndex(({ role }) => role === 'user');
  const messages = request.messages.map((message, index) =>
    index === last ? { ...message, images } : message,
  );
  return { ...request, messages };
}

/**
 * Lane that runs its samples in order, each for its trials, each trial an episode (reset, then act and step in turns).
 * It may be suspended between any two steps and continued from its state elsewhere.
 */
export class Lane {
  private memory: MemoryModule;
  /** Agent, created when the first episode begins: what its constructor throws is that episode's error. */
  private agent: Agent | null = null;
  /** Environment's answer to the newest `act` reply, in case the agent takes its text as the action. */
  private ahead: { action: string; answer: StepAnswer; act: number } | null = null;

  constructor(
    readonly state: LaneState,
    private readonly ports: LanePorts,
  ) {
    this.memory = ports.createMemory(state.memory);
  }

  /** Returns the lane's state as plain JSON, memory included. */
  snapshot(): LaneState {
    return { ...this.state, memory: this.memory.snapshot() };
  }

  async run(): Promise<LaneOutcome> {
    try {
      for (; this.state.slot < this.state.to; this.state.slot++) {
        if (!(await this.runSample())) return 'suspended';
        this.state.trial = 0;
      }
      return 'finished';
    } catch (error) {
      if (error instanceof CallRefusedError) return 'suspended';
      throw error;
    }
  }

  private async runSample(): Promise<boolean> {
    const { rules } = this.ports;
    if (!rules.carry_memory_across_trials && this.state.memory_before_sample === undefined) {
      this.state.memory_before_sample = this.memory.snapshot();
    }
    for (; this.state.trial < rules.num_trials; this.state.trial++) {
      if (this.state.episode === undefined && !(await this.ports.mayProceed('episode'))) return false;
      if (this.state.trial > 0 && this.state.episode === undefined && !rules.carry_memory_across_trials) {
        this.useMemory(this.ports.createMemory(this.state.memory_before_sample ?? null));
      }
      const outcome = await this.runEpisode();
      if (outcome === 'suspended') return false;
      if (outcome === 'success' && rules.early_stop_on_success) break;
    }
    const { sample } = this.state;
    if (sample !== undefined) this.state.last_sample = { index: sample.index, id: sample.id };
    delete this.state.memory_before_sample;
    delete this.state.sample;
    return true;
  }

  private async runEpisode(): Promise<'success' | 'failure' | 'suspended'> {
    const { slot, trial } = this.state;
    this.state.sample ??= await this.ports.openSample(slot, trial);
    const sample = this.state.sample;
    let error: EpisodeError | null = null;
    let unjudged: string | undefined;
    const resumed = this.state.episode;
    const { episode, opened } = resumed === undefined ? await this.open(sample) : { episode: resumed };
    this.state.episode = episode;
    try {
      if (opened?.problem !== undefined) throw new OpenError(opened.problem);
      this.agent ??= this.createAgent();
      if (opened !== undefined) await this.begin(this.agent, opened, episode);
      else await this.agent.restore(episode.agent);
      if ((await this.takeSteps(this.agent, sample, episode)) === 'suspended') return 'suspended';
    } catch (caught) {
      if (this.ports.isInterruption(caught)) throw caught;
      error = this.ports.describeError(caught);
      if (asError(caught) instanceof StepError) unjudged = (caught as StepError).action;
    }
    if (error === null) {
      try {
        await this.agent?.endEpisode();
      } catch (caught) {
        if (this.ports.isInterruption(caught)) throw caught;
        episode.warnings.push(`after the episode: ${this.ports.describeError(caught).message}`);
      }
    }
    const metrics = this.metricsOf(this.agent, episode);
    await this.ports.record({
      index: sample.index,
      sample_id: sample.id,
      trial: trialNumber(sample, trial),
      steps: episode.steps,
      reward: episode.reward,
      error,
      ...(unjudged === undefined ? {} : { unjudged }),
      warnings: episode.warnings,
      calls: episode.calls,
      ...(episode.executions === undefined ? {} : { executions: episode.executions }),
      ...(Object.keys(metrics).length === 0 ? {} : { agent_metrics: metrics }),
      started_at: episode.started_at,
      ended_at: this.ports.now(),
    });
    delete this.state.episode;
    return error === null && episode.steps.at(-1)?.feedback.correct === true ? 'success' : 'failure';
  }

  private async open(sample: OpenedSample): Promise<{ episode: EpisodeState; opened: OpenedSample }> {
    const { slot, trial } = this.state;
    const again = trial > 0 && this.ports.rules.reset_each_trial;
    const opened = again ? await this.ports.openSample(slot, trial) : sample;
    const episode: EpisodeState = {
      environment: opened.state,
      obs: opened.obs,
      agent: {},
      steps: [],
      reward: 0,
      calls: [],
      warnings: [],
      ordinals: {},
      started_at: this.ports.now(),
    };
    return { episode, opened };
  }

  private async begin(agent: Agent, { id, messages }: OpenedSample, episode: EpisodeState): Promise<void> {
    const { trial } = this.state;
    const { num_trials } = this.ports.rules;
    await agent.reset({ sample_id: id, trial, num_trials, ...(messages === undefined ? {} : { messages }) });
    if (messages !== undefined && !agent.takesMessages) episode.obs = conversationText(messages);
    episode.agent = agent.snapshot();
  }

  private metricsOf(agent: Agent | null, episode: EpisodeState): Record<string, number> {
    try {
      return agent?.metrics?.() ?? {};
    } catch (caught) {
      episode.warnings.push(`the agent's metrics: ${this.ports.describeError(caught).message}`);
      return {};
    }
  }

  private async takeSteps(
    agent: Agent,
    sample: OpenedSample,
    episode: EpisodeState,
  ): Promise<'over' | 'suspended'> {
    const limit = this.ports.rules.max_steps_per_episode ?? Number.POSITIVE_INFINITY;
    while (episode.steps.length < limit) {
      if (episode.steps.length > 0 && !(await this.ports.mayProceed('step'))) return 'suspended';
      this.ahead = null;
      const action = checkedAction(await agent.act(episode.obs));
      const { answer, act } = await this.step(sample, episode, action);
      if ('error' in answer) throw new StepError(answer.error, action);
      const { obs = null, feedback, done, info } = answer;
      const last = done || episode.steps.length + 1 >= limit;
      await this.observe(agent, episode, { obs, feedback, last });
      // The step is recorded without an await in between, so that a suspended lane never holds half of it.
      const reward = answer.reward ?? (feedback.correct ? 1 : 0);
      episode.steps.push({
        obs: episode.obs,
        action,
        feedback,
        reward,
        done,
        ...(info === undefined ? {} : { info }),
        ...(act === null ? {} : { act }),
      });
      episode.reward = sumOf([episode.reward, reward]);
      episode.environment = answer.state ?? null;
      episode.obs = obs ?? '';
      episode.agent = agent.snapshot();
      if (last) return 'over';
    }
    return 'over';
  }

  private async step(
    sample: OpenedSample,
    episode: EpisodeState,
    action: string,
  ): Promise<{ answer: StepAnswer; act: number | null }> {
    const { ahead } = this;
    if (ahead?.action === action) return { answer: ahead.answer, act: ahead.act };
    return { answer: await this.ports.step(sample, episode.environment, action), act: null };
  }

  /** Shows the agent a graded step: a failure here, such as that of a reflection, is a warning. */
  private async observe(
    agent: Agent,
    episode: EpisodeState,
    { obs, feedback, last }: { obs: string | null; feedback: Feedback; last: boolean },
  ): Promise<void> {
    try {
      await agent.observe(obs, feedback, last);
    } catch (caught) {
      if (this.ports.isInterruption(caught)) throw caught;
      const step = episode.steps.length + 1;
      episode.warnings.push(`after step ${step}: ${this.ports.describeError(caught).message}`);
    }
  }

  private useMemory(memory: MemoryModule): void {
    this.memory = memory;
    this.agent = null;
  }

  private createAgent(): Agent {
    return this.ports.createAgent({
      memory: this.memory,
      languageModel: this.languageModel(),
      codeExecutor: this.codeExecutor(),
    });
  }

  /** Returns the sandbox for the agent: executions are numbered within the current episode. */
  private codeExecutor(): CodeExecutor {
    return {
      execute: (request) => {
        const { episode, sample, trial } = this.state;
        if (episode === undefined || sample === undefined) {
          throw new Error('an agent may run code only during an episode');
        }
        const ordinal = episode.executions ?? 0;
        episode.executions = ordinal + 1;
        return this.ports.execute({ ...placeOf(sample, trial), ordinal }, request);
      },
    };
  }

  /** Returns the model for the agent: calls get the identity of the current episode. */
  private languageModel(): AgentLanguageModel {
    return {
      generate: async (request): Promise<GenerateReply> => {
        const { episode, sample, trial } = this.state;
        if (episode === undefined || sample === undefined) {
          throw new Error('an agent may call the language model only during an episode');
        }
        const ordinal = episode.ordinals[request.purpose] ?? 0;
        episode.ordinals[request.purpose] = ordinal + 1;
        const call: CallIdentity = { ...placeOf(sample, trial), purpose: request.purpose, ordinal };
        const listed: EpisodeCall = { ...call, step: episode.steps.length };
        episode.calls.push(listed);
        const awaited = request.purpose === 'act' && this.ports.rules.step_with_reply;
        const { step, ...reply } = await this.ports.generate(
          call,
          request.purpose === 'act' ? withImages(request, sample) : request,
          awaited ? awaitedStep(sample, episode) : undefined,
        );
        // The worker that writes the row may have read the record without this count.
        if (reply.repeated !== undefined) listed.repeated = reply.repeated;
        if (reply.maybe_repeated !== undefined) listed.maybe_repeated = reply.maybe_repeated;
        if (request.purpose === 'act' && isCutOff(reply) && this.ports.rules.on_cut_off === 'error') {
          throw new CutOffError(cutOffText({ ...reply, parameters: request.parameters ?? {} }));
        }
        // The agent must not see the environment's answer before it has acted.
        if (step !== undefined) this.ahead = { action: reply.text, answer: step, act: ordinal };
        return reply;
      },
    };
  }
}
