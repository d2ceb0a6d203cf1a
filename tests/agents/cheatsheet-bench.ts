import { createAgent } from '../../src/agents/registry.js';
import type { Agent, AgentRequest, CodeRequest } from '../../src/contracts/agent.js';
import type { Feedback } from '../../src/contracts/environment.js';
import type { ExecutionResult } from '../../src/contracts/execution.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { ExperienceSearch } from '../../src/kinds/run/activities/experience-search.js';
import { buildMemory } from '../../src/memory/factory.js';
import { isSheetMemory, type MemoryModule, type MemorySnapshot } from '../../src/memory/memory-module.js';
import { grownParts, headOf, NOTHING_SAVED, savedMemory, savedParts } from '../../src/memory/saved.js';
import { LexicalIndex } from '../../src/retrieval/lexical-index.js';
import { configOf } from '../support/configs.js';
import { LocalJournal } from './local-journal.js';

/** What a program did, by default nothing wrong. */
export function ended(fields: Partial<ExecutionResult> = {}): ExecutionResult {
  return { status: 'ok', stdout: '', stderr: '', exit_code: 0, truncated: false, seconds: 0.1, ...fields };
}

/** Inside of the tags that a sheet stands in. */
export function sheet(content: string): string {
  return `Here are the notes.\n<cheatsheet>\n${content}\n</cheatsheet>`;
}

interface Options {
  /** Sections of the config. */
  agent?: Record<string, unknown>;
  memory?: Record<string, unknown>;
  runtime?: Record<string, unknown>;
  lm?: Record<string, unknown>;
  /** What the model says to its n-th request, from 1. */
  say?: (request: AgentRequest, number: number) => string;
  /** What a program does; by default none is run. */
  run?: (code: CodeRequest, number: number) => ExecutionResult | Error;
  /** A memory.json that the run begins with. */
  loaded?: MemorySnapshot;
}

export interface Step extends Partial<Feedback> {
  obs?: string;
}

/** A Dynamic Cheatsheet agent over a real memory, journal and index; model and sandbox say what the test wants. */
export class CheatsheetBench {
  readonly requests: AgentRequest[] = [];
  readonly programs: CodeRequest[] = [];
  readonly journal: LocalJournal;
  memory: MemoryModule;
  agent: Agent;

  constructor(private readonly options: Options = {}) {
    const { config } = this;
    const loaded = options.loaded === undefined ? NOTHING_SAVED : savedParts(config.memory, options.loaded);
    const correctOnly = 'retrieval' in config.memory && config.memory.retrieval.correct_only;
    const search = new ExperienceSearch(new LexicalIndex(), loaded.experiences, correctOnly);
    this.journal = new LocalJournal((work) => work(search));
    this.memory = buildMemory(config.memory, headOf(config.memory._type, loaded), this.journal);
    this.agent = this.createAgent();
  }

  get config() {
    const { agent, memory, runtime, lm } = this.options;
    return configOf({
      agent: { type: 'dynamic_cheatsheet_agent', ...agent },
      ...(memory === undefined ? {} : { memory }),
      ...(runtime === undefined ? {} : { runtime }),
      ...(lm === undefined ? {} : { lm: { provider: 'simulated', ...lm } }),
    });
  }

  /** Continues with another agent and memory object, as a lane does in another execution. */
  async handOver(): Promise<void> {
    const state = JSON.parse(JSON.stringify(this.agent.snapshot())) as JsonObject;
    const memory = JSON.parse(JSON.stringify(this.memory.snapshot())) as MemorySnapshot;
    this.memory = buildMemory(this.config.memory, memory, this.journal);
    this.agent = this.createAgent();
    await this.agent.restore(state);
  }

  /** An episode of these steps; the first observation is the question. */
  async episode(sample: string, trial: number, ...steps: Step[]): Promise<string[]> {
    await this.agent.reset({ sample_id: sample, trial, num_trials: 3 });
    const actions: string[] = [];
    for (const number of (steps.length === 0 ? [{}] : steps).keys())
      actions.push(await this.step(sample, number, steps));
    await this.agent.endEpisode();
    return actions;
  }

  async step(sample: string, number: number, steps: readonly Step[]): Promise<string> {
    const { obs: _obs, ...given } = steps[number] ?? {};
    const obs = (at: number) => steps[at]?.obs ?? `${sample} question ${at}`;
    const action = await this.agent.act(obs(number));
    const last = number >= steps.length - 1;
    const feedback: Feedback = { correct: false, target: 'gold', message: 'checked', ...given };
    await this.agent.observe(last ? null : obs(number + 1), feedback, last);
    return action;
  }

  get purposes(): string[] {
    return this.requests.map(({ purpose }) => purpose);
  }

  /** The user message of a request, by default of the newest. */
  prompt(number = -1): string {
    return this.requests.at(number)?.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  }

  /** The prompts of one purpose, whole conversations. */
  prompts(purpose: string): string[] {
    return this.requests
      .filter((request) => request.purpose === purpose)
      .map(({ messages }) => messages.map(({ content }) => content).join('\n'));
  }

  get sheet(): string {
    return isSheetMemory(this.memory) ? this.memory.getCheatsheet() : '';
  }

  get counts(): Record<string, number> {
    return this.agent.metrics?.() ?? {};
  }

  /** The memory as a run would save it. */
  get saved(): MemorySnapshot {
    const { memory } = this.config;
    const begun = this.options.loaded === undefined ? NOTHING_SAVED : savedParts(memory, this.options.loaded);
    return savedMemory(memory._type, grownParts(begun, this.journal.entries()));
  }

  private createAgent(): Agent {
    const { say = ({ purpose }, number) => `${purpose} ${number}`, run } = this.options;
    return createAgent({
      config: this.config.agent,
      memory: this.memory,
      languageModel: {
        generate: async (request) => {
          // Later turns must not show in what was asked before.
          this.requests.push(structuredClone(request));
          return { text: say(request, this.requests.length), finish_reason: 'stop' };
        },
      },
      codeExecutor: {
        execute: async (program) => {
          this.programs.push(program);
          const result = run?.(program, this.programs.length) ?? new Error('no code is run here');
          if (result instanceof Error) throw result;
          return result;
        },
      },
    });
  }
}
