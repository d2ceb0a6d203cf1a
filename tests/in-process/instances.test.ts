import { describe, expect, test } from 'vitest';
import { HistoryAgent } from '../../src/agents/history-agent.js';
import { type AgentContext, MemoryAgent } from '../../src/agents/memory-agent.js';
import type { MemoryAgentConfig } from '../../src/config/agent-schemas.js';
import { InvalidInputError } from '../../src/config/errors.js';
import type { Json } from '../../src/contracts/json.js';
import { QAEnv } from '../../src/environments/qa.js';
import { buildMemory, gradingServices, runInProcess } from '../../src/in-process/index.js';
import type { Entry, ExperienceEntry } from '../../src/memory/entries.js';
import { HistoryList } from '../../src/memory/history-list.js';
import type { MemoryModule } from '../../src/memory/memory-module.js';
import { config, FakeModel } from './support.js';

/** Keeps what was judged wrong. */
class Mistakes implements MemoryModule {
  readonly kept: ExperienceEntry[] = [];

  update(entry: Entry): void {
    if (entry._type === 'experience' && !entry.feedback.correct) this.kept.push(entry);
  }

  recall(): readonly Entry[] {
    return this.kept;
  }

  snapshot() {
    return { _type: 'mistakes', kept: this.kept as unknown as Json };
  }
}

class Shouting extends MemoryAgent {
  override async act(observation: string): Promise<string> {
    this.count('shouts');
    return (await super.act(observation)).toUpperCase();
  }
}

class Patient extends QAEnv {
  override evaluate(action: string) {
    return { correct: action.startsWith('W'), target: 'W…', message: 'patiently' };
  }
}

const always = (text: string) => new FakeModel(() => text);
const shared = { runtime: { memory_scope: 'run' }, agent: { type: 'memory_agent', history_k: 10 } };

describe('runInProcess with objects of the program', () => {
  test.each([
    ['its class', Mistakes],
    ['a function that makes it', () => new Mistakes()],
    ['an object', new Mistakes()],
  ])('has the memory that is given as %s, in prompts and result', async (_how, memory) => {
    const languageModel = always('1');
    const result = await runInProcess(config(shared), { languageModel, instances: { memory } });
    expect(result.metrics).toMatchObject({
      status: 'done',
      correct: 1,
      errors: 0,
      feedback_in_prompts: 'unknown',
    });
    const kept = [{ obs: 'What is 2 + 0?' }, { obs: 'What is 3 + 0?' }];
    expect(result.memory).toMatchObject({ _type: 'own', kept });
    const prompt = languageModel.asked.at(-1)?.messages.at(-1)?.content;
    expect(prompt).toContain('What is 2 + 0?');
    expect(prompt).not.toContain('What is 1 + 0?');
  });

  test('has a memory for each sample where they share none', async () => {
    const { memory } = await runInProcess(config({ runtime: { memory_scope: 'sample', concurrency: 3 } }), {
      languageModel: always('1'),
      instances: { memory: Mistakes },
    });
    expect(memory).toMatchObject({
      _type: 'per_sample',
      memories: { s1: { _type: 'own', kept: [] }, s2: { _type: 'own' }, s3: { _type: 'own' } },
    });
  });

  test.each([
    ['its class', Shouting],
    ['a function', (context: AgentContext<MemoryAgentConfig>) => new Shouting(context)],
  ])('has the agent that is given as %s, with calls that are counted', async (_how, agent) => {
    const { metrics, rows } = await runInProcess(config({ dataset: { task_type: 'exact' } }), {
      languageModel: always('one'),
      instances: { agent },
    });
    expect(metrics).toMatchObject({ lm_calls: 3, errors: 0, agent_metrics: { shouts: 3 } });
    expect(metrics.agent).toBe(agent === Shouting ? 'Shouting' : 'given_agent');
    expect(rows.map(({ action }) => action)).toEqual(['ONE', 'ONE', 'ONE']);
  });

  test('has the agent that is given as an object, which has its own model and memory', async () => {
    const memory = buildMemory({ _type: 'history_list' });
    const languageModel = always('2');
    const agent = new HistoryAgent({
      config: { type: 'history_agent', system_prompt: null, history_k: 2 },
      memory,
      languageModel: {
        generate: (request) => languageModel.generate({ parameters: {}, call: {} as never, ...request }),
      },
      codeExecutor: { execute: () => Promise.reject(new Error('none')) },
    });
    const { metrics } = await runInProcess(config(shared), {
      languageModel: always('no'),
      instances: { agent },
    });
    expect(metrics).toMatchObject({ agent: 'HistoryAgent', correct: 1, lm_calls: 0 });
    expect(memory.recall()).toHaveLength(9);
  });

  test('has the environment that is given', async () => {
    const given = await runInProcess(config(), {
      languageModel: always('W1'),
      instances: { environment: Patient },
    });
    expect(given.metrics).toMatchObject({ correct: 3, by_task: { GivenEnvironment: { samples: 3 } } });
    expect(given.rows[0]?.feedback).toMatchObject({ message: 'patiently' });
    const task = { index: 0, id: 'x', question: 'Who?', target: 'W', metadata: {} };
    const environment = new Patient(task, { options: {} }, gradingServices);
    const languageModel = always('W2');
    const { metrics } = await runInProcess(config({}, 1), { languageModel, instances: { environment } });
    expect(metrics).toMatchObject({ samples: 1, correct: 1 });
    expect(languageModel.asked[0]?.messages.at(-1)?.content).toContain('Who?');
  });

  test('keeps runs apart that go at the same time', async () => {
    const memories = [new Mistakes(), new Mistakes()];
    const texts = ['1', '2'];
    await Promise.all(
      memories.map((memory, index) =>
        runInProcess(config(shared), {
          languageModel: always(texts[index] as string),
          instances: { memory },
        }),
      ),
    );
    const ids = memories.map(({ kept }) => kept.map(({ sample_id }) => sample_id));
    expect(ids).toEqual([
      ['s2', 's3'],
      ['s1', 's3'],
    ]);
  });

  test.each([
    ['runtime.memory_scope', { runtime: { memory_scope: 'sample' } }],
    [
      'runtime.carry_memory_across_trials',
      { runtime: { memory_scope: 'run', num_trials: 2, carry_memory_across_trials: false } },
    ],
  ])('refuses one object where %s wants several', async (field, sections) => {
    for (const instances of [{ memory: new Mistakes() }, { agent: {} as never }]) {
      const refused = runInProcess(config(sections), { languageModel: always('1'), instances });
      await expect(refused).rejects.toThrow(InvalidInputError);
      await expect(refused).rejects.toThrow(new RegExp(`^${field}: .* give a function that makes the`));
    }
  });

  test.each([
    [
      'lacks methods',
      {} as never,
      "memory.file: the class lacks 'update', 'recall', 'snapshot'; write each of update, recall, snapshot",
    ],
    [
      'throws',
      (() => {
        throw new Error('no disk');
      }) as never,
      'memory.file: the class cannot be made: no disk',
    ],
  ])('refuses a memory that %s', async (_what, memory, message) => {
    const refused = runInProcess(config(shared), { languageModel: always('1'), instances: { memory } });
    await expect(refused).rejects.toThrow(message);
  });

  test('a memory that answers no entries is the error of its episodes', async () => {
    class Empty extends HistoryList {
      override recall(): never {
        return ['text'] as never;
      }
    }
    const memory = () => new Empty({ _type: 'history_list', max_length: 5 });
    const { metrics } = await runInProcess(config(shared), {
      languageModel: always('1'),
      instances: { memory },
    });
    expect(metrics).toMatchObject({ errors: 3, errors_by_type: { TypeError: 3 } });
    expect(metrics.error_causes?.[0]?.message).toContain('recall answered "text", which is no entry');
  });
});
