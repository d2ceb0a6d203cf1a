import { createAgent } from '../../src/agents/registry.js';
import type { AgentConfig } from '../../src/config/agent-schemas.js';
import type { Agent, AgentRequest, CodeExecutor } from '../../src/contracts/agent.js';
import type { Feedback } from '../../src/contracts/environment.js';
import type { Entry } from '../../src/memory/entries.js';
import { HistoryList } from '../../src/memory/history-list.js';

/** For agents that run no code. */
export const noCode: CodeExecutor = {
  execute: async () => {
    throw new Error('this agent runs no code');
  },
};

/** An agent with a memory of its own and a model that says what it is told to. */
export class Bench {
  readonly requests: AgentRequest[] = [];
  readonly memory: HistoryList;
  readonly agent: Agent;

  constructor(
    config: AgentConfig,
    /** What the model says; by default the purpose and a number. */
    private readonly say: (request: AgentRequest, number: number) => string = ({ purpose }, number) =>
      `${purpose} ${number}`,
    entries: Entry[] = [],
  ) {
    this.memory = new HistoryList({ _type: 'history_list', max_length: 1000 }, entries);
    this.agent = createAgent({
      config,
      memory: this.memory,
      languageModel: {
        generate: async (request) => {
          this.requests.push(request);
          return { text: this.say(request, this.requests.length), finish_reason: 'stop' };
        },
      },
      codeExecutor: noCode,
    });
  }

  /** An episode whose steps get this feedback in turn. */
  async episode(sample: string, trial: number, ...steps: (Partial<Feedback> | boolean)[]): Promise<void> {
    await this.agent.reset({ sample_id: sample, trial, num_trials: 3 });
    for (const [number, step] of steps.entries()) {
      const given = typeof step === 'boolean' ? { correct: step } : step;
      const feedback: Feedback = { correct: false, target: 'gold', message: 'checked', ...given };
      const last = number === steps.length - 1;
      await this.agent.act(`${sample} obs ${number}`);
      await this.agent.observe(last ? null : `${sample} obs ${number + 1}`, feedback, last);
    }
    await this.agent.endEpisode();
  }

  /** The user message of the newest request, or of an earlier one. */
  prompt(number = -1): string {
    return this.requests.at(number)?.messages.at(-1)?.content ?? '';
  }

  get purposes(): string[] {
    return this.requests.map(({ purpose }) => purpose);
  }
}
