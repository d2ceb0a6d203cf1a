import { ownAgent } from '../../src/agents/own-agent.js';
import { type AgentClass, createAgent } from '../../src/agents/registry.js';
import type { AgentConfig } from '../../src/config/agent-schemas.js';
import type { AgentRequest } from '../../src/contracts/agent.js';
import type { StepAnswer } from '../../src/contracts/environment.js';
import type { Json } from '../../src/contracts/json.js';
import type { CallIdentity } from '../../src/contracts/language-model.js';
import type { EpisodeRecord } from '../../src/contracts/results.js';
import { Lane } from '../../src/kinds/run/lane/lane.js';
import { type LaneState, newLane } from '../../src/kinds/run/lane/lane-state.js';
import { buildMemory } from '../../src/memory/factory.js';
import type { MemorySnapshot } from '../../src/memory/memory-module.js';
import { CallRefusedError, type LanePorts, type LaneRules } from '../../src/runtime/ports.js';

export const RULES: LaneRules = {
  num_trials: 1,
  early_stop_on_success: false,
  carry_memory_across_trials: true,
  max_steps_per_episode: null,
  reset_each_trial: false,
  step_with_reply: false,
};

export const historyAgent: AgentConfig = {
  type: 'history_agent',
  system_prompt: null,
  history_k: 100,
  feedback: 'outcome',
};

export function reflexionAgent(mode: 'episode_end' | 'per_step' | 'both' = 'episode_end'): AgentConfig {
  return {
    ...historyAgent,
    type: 'reflexion_agent',
    reflection_config: {
      enabled: true,
      mode,
      system_prompt: null,
      max_tokens: null,
      strategy: 'last_attempt_and_reflexion',
      max_reflections: 3,
      reflect_on_success: false,
    },
  };
}

/** `s1 · 0 · act · 2`: sample, trial, purpose and ordinal of a call. */
export function nameOf({ sample_id, trial, purpose, ordinal }: CallIdentity): string {
  return [sample_id, trial, purpose, ordinal].join(' · ');
}

interface WorldOptions {
  rules?: Partial<LaneRules>;
  agent?: AgentConfig;
  /** Class of a user's agent, in the place of the one that the config names. */
  agentClass?: AgentClass;
  /** Wrong answers that an episode bears. */
  patience?: number;
  /** What the model says; `right` is the right answer. An error is thrown. */
  answer?: (name: string, request: AgentRequest) => string | Error;
  mayProceed?: LanePorts['mayProceed'];
  /** The environment cannot take this action. */
  refuses?: string;
  /** It cannot begin with this sample. */
  closed?: string;
}

/** A lane's whole surroundings, without a clock or a network: real agents and memory, a made-up task and model. */
export class FakeWorld {
  readonly records: EpisodeRecord[] = [];
  readonly calls: string[] = [];
  readonly prompts: string[] = [];
  /** What the model answered, by the call's name; a failed call has no entry. */
  readonly replies = new Map<string, string>();
  readonly opened: string[] = [];
  /** Steps that were taken on their own, not with a reply. */
  steps = 0;
  private time = 0;

  constructor(private readonly options: WorldOptions = {}) {}

  /** A lane over the first `samples` slots, or one that continues from a state. */
  lane(from: number | LaneState): Lane {
    return new Lane(typeof from === 'number' ? newLane(0, from, null) : from, this.ports());
  }

  ports(): LanePorts {
    const { options } = this;
    return {
      rules: { ...RULES, ...options.rules },
      mayProceed: options.mayProceed ?? (async () => true),
      openSample: async (slot, trial) => {
        this.opened.push(`s${slot}/${trial}`);
        const id = `s${slot}`;
        if (id === options.closed) {
          return {
            index: slot,
            id,
            state: null,
            obs: '',
            problem: { type: 'EnvironmentError', message: 'closed' },
          };
        }
        return { index: slot, id, state: { taken: 0 }, obs: `question ${slot}` };
      },
      step: async (_sample, state, action) => {
        this.steps += 1;
        return this.answerTo(state, action);
      },
      generate: async (call, request, step) => {
        const name = nameOf(call);
        this.calls.push(name);
        this.prompts.push(request.messages.map(({ content }) => content).join('\n'));
        const text = options.answer?.(name, request) ?? 'wrong';
        if (text instanceof Error) throw text;
        this.replies.set(name, text);
        const reply = { text, finish_reason: 'stop' as const, cost_usd: 0 };
        return step === undefined ? reply : { ...reply, step: this.answerTo(step.state ?? null, text) };
      },
      execute: async () => {
        throw new Error('no code is run here');
      },
      createAgent: (tools) => {
        const { agentClass, agent: config = historyAgent } = options;
        if (agentClass === undefined) return createAgent({ config, ...tools });
        return ownAgent(() => new agentClass({ config, ...tools }));
      },
      createMemory: (saved) => buildMemory({ _type: 'history_list', max_length: 1000 }, saved),
      record: (episode) => void this.records.push(structuredClone(episode)),
      now: () => (this.time += 1000),
      isInterruption: (error) => error instanceof CallRefusedError,
      describeError: (error) => ({ type: (error as Error).name, message: (error as Error).message }),
    };
  }

  private answerTo(state: Json, action: string): StepAnswer {
    const { refuses, patience = 1 } = this.options;
    if (action === refuses) return { error: { type: 'EnvironmentError', message: `no: ${action}` } };
    const taken = (state as { taken: number }).taken + 1;
    const correct = action === 'right';
    const done = correct || taken >= patience;
    const feedback = { correct, target: 'right', message: correct ? 'yes' : `no, ${patience - taken} left` };
    return { state: { taken }, obs: done ? null : `try ${taken + 1}`, feedback, done };
  }
}

/** `s0/1 no no yes`: an episode's sample and trial, and how its steps went. */
export function summary({ sample_id, trial, steps, error }: EpisodeRecord): string {
  const went = steps.map(({ feedback }) => (feedback.correct ? 'yes' : 'no'));
  return [`${sample_id}/${trial}`, ...went, ...(error === null ? [] : [error.type])].join(' ');
}

export function entriesOf(memory: MemorySnapshot | null): string[] {
  const entries = (memory?.entries ?? []) as { _type: string; content?: string; action?: string }[];
  return entries.map(({ _type, content, action }) => `${_type}: ${content ?? action}`);
}
