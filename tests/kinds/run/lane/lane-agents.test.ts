import { describe, expect, test } from 'vitest';
import { MemoryAgent } from '../../../../src/agents/memory-agent.js';
import { AgentShapeError } from '../../../../src/agents/own-agent.js';
import type { AgentClass } from '../../../../src/agents/registry.js';
import type { EpisodeInfo } from '../../../../src/contracts/agent.js';
import type { Feedback } from '../../../../src/contracts/environment.js';
import { Lane } from '../../../../src/kinds/run/lane/lane.js';
import { newLane } from '../../../../src/kinds/run/lane/lane-state.js';
import { FakeWorld, summary } from '../../../support/fake-world.js';

async function finished(world: FakeWorld): Promise<void> {
  expect(await world.lane(1).run()).toBe('finished');
}

describe('an agent of one’s own', () => {
  const toldOver: boolean[] = [];
  /** Asks once an episode, and says the same again. */
  class RepeatingAgent extends MemoryAgent {
    private said = '';
    override reset(episode: EpisodeInfo): void {
      super.reset(episode);
      this.said = '';
    }
    override async act(observation: string): Promise<string> {
      if (this.said === '') this.said = await super.act(observation);
      return this.said;
    }
    override async observe(observation: string | null, feedback: Feedback, done: boolean): Promise<void> {
      toldOver.push(done);
      await super.observe(observation, feedback, done);
    }
  }
  const agentClass = RepeatingAgent;

  test('may act without asking the model: each action is a step of its own', async () => {
    const world = new FakeWorld({
      rules: { step_with_reply: true, max_steps_per_episode: 5 },
      agentClass,
      patience: 3,
    });
    await finished(world);
    expect(world.calls).toHaveLength(1);
    expect(world.records[0]?.steps.map(({ feedback, act }) => [feedback.message, act])).toEqual([
      ['no, 2 left', 0],
      ['no, 1 left', undefined],
      ['no, 0 left', undefined],
    ]);
  });

  test('is told that an episode is over, by the environment or by max_steps_per_episode', async () => {
    for (const max_steps_per_episode of [null, 2]) {
      toldOver.length = 0;
      await finished(new FakeWorld({ rules: { max_steps_per_episode }, agentClass, patience: 3 }));
      expect(toldOver).toEqual(max_steps_per_episode === null ? [false, false, true] : [false, true]);
    }
  });

  test('an agent that acts otherwise than the model said is stepped with its own action', async () => {
    class ChangingAgent extends MemoryAgent {
      override async act(observation: string): Promise<string> {
        await super.act(observation);
        return 'right';
      }
    }
    const world = new FakeWorld({ rules: { step_with_reply: true }, agentClass: ChangingAgent });
    await finished(world);
    expect(world.records.map(summary)).toEqual(['s0/0 yes']);
    expect(world.records[0]?.steps[0]).toMatchObject({ action: 'right' });
    expect(world.records[0]?.steps[0]).not.toHaveProperty('act');
    expect(world.steps).toBe(1);
  });
});

describe('an agent of one’s own that fails', () => {
  /** The episodes of three samples, where the second one's goes wrong, and what is said of it. */
  async function went(agentClass: AgentClass): Promise<{ rows: string[]; said: string }> {
    const world = new FakeWorld({ agentClass, answer: () => 'right' });
    expect(await world.lane(3).run()).toBe('finished');
    const spoiled = world.records[1];
    return {
      rows: world.records.map(summary),
      said: [spoiled?.error?.message ?? '', ...(spoiled?.warnings ?? [])].filter(Boolean).join('; '),
    };
  }

  const inSecond = (fail: (agent: { episode: EpisodeInfo }) => void) => (agent: object) => {
    const own = agent as { episode: EpisodeInfo };
    if (own.episode.sample_id === 's1') fail(own);
  };
  const broken = inSecond(() => {
    throw new RangeError('broken');
  });

  test.each<[string, AgentClass, string, string]>([
    [
      'in reset',
      class extends MemoryAgent {
        override reset(episode: EpisodeInfo) {
          super.reset(episode);
          broken(this);
        }
      },
      's1/0 RangeError',
      'broken',
    ],
    [
      'in a reset that promises',
      class extends MemoryAgent {
        override async reset(episode: EpisodeInfo) {
          super.reset(episode);
          await null;
          broken(this);
        }
      },
      's1/0 RangeError',
      'broken',
    ],
    [
      'in a snapshot that promises',
      class extends MemoryAgent {
        override snapshot() {
          const broken = Promise.reject(new RangeError('broken'));
          if (this.episode.sample_id === 's1') return broken as never;
          broken.catch(() => undefined);
          return super.snapshot();
        }
      },
      's1/0 TypeError',
      'snapshot answered a promise; it must answer at once',
    ],
    [
      'in act, with what is no text',
      class extends MemoryAgent {
        override async act(observation: string) {
          await super.act(observation);
          return this.episode.sample_id === 's1' ? (undefined as never) : 'right';
        }
      },
      's1/0 TypeError',
      'act answered undefined; it must be a text',
    ],
    [
      'in snapshot',
      class extends MemoryAgent {
        override snapshot() {
          const count = this.episode.sample_id === 's1' ? 3n : 3;
          return { ...super.snapshot(), count: count as number };
        }
      },
      's1/0 TypeError',
      'snapshot answered what cannot be written as JSON: Do not know how to serialize a BigInt',
    ],
    [
      'in snapshot, with what JSON would empty',
      class extends MemoryAgent {
        override snapshot() {
          const seen = this.episode.sample_id === 's1' ? new Set(['a']) : ['a'];
          return { ...super.snapshot(), seen: seen as string[] };
        }
      },
      's1/0 TypeError',
      "snapshot answered what cannot be written as JSON: it holds a Set: answer what is in it as an object or a list, in 'seen'",
    ],
    [
      'with an entry that is none',
      class extends MemoryAgent {
        override async act(observation: string) {
          if (this.episode.sample_id === 's1') this.memory.update({ note: 'x' } as never);
          return super.act(observation);
        }
      },
      's1/0 TypeError',
      'the memory was given {"note":"x"}, which is no entry: an entry has a text _type and a text content, and an experience obs, action and feedback',
    ],
  ])('%s: that episode is an error, and the others are not', async (_where, agentClass, row, message) => {
    const { rows, said } = await went(agentClass);
    expect(rows).toEqual(['s0/0 yes', row, 's2/0 yes']);
    expect(said).toContain(message);
  });

  test.each<[string, AgentClass, string]>([
    [
      'observe',
      class extends MemoryAgent {
        override async observe(...heard: Parameters<MemoryAgent['observe']>) {
          await super.observe(...heard);
          broken(this);
        }
      },
      'after step 1: broken',
    ],
    [
      'metrics',
      class extends MemoryAgent {
        override metrics() {
          return { tries: this.episode.sample_id === 's1' ? ('many' as never) : 1 };
        }
      },
      'the agent\'s metrics: metrics answered tries: "many"; it must be a number',
    ],
  ])('in %s: its grade stands, with a warning', async (_where, agentClass, warning) => {
    const { rows, said } = await went(agentClass);
    expect(rows).toEqual(['s0/0 yes', 's1/0 yes', 's2/0 yes']);
    expect(said).toBe(warning);
  });

  test('a reset that promises is awaited before the agent acts', async () => {
    const { rows } = await went(
      class extends MemoryAgent {
        private isReady = false;
        override async reset(episode: EpisodeInfo) {
          super.reset(episode);
          this.isReady = false;
          const { text } = await this.languageModel.generate({ purpose: 'reflect', messages: [] });
          this.isReady = text === 'right';
        }
        override async act(observation: string) {
          return this.isReady ? super.act(observation) : 'too early';
        }
      },
    );
    expect(rows).toEqual(['s0/0 yes', 's1/0 yes', 's2/0 yes']);
  });

  test('in its constructor: an error of each episode, and no end of the run', async () => {
    const { rows, said } = await went(
      class extends MemoryAgent {
        constructor(...given: ConstructorParameters<AgentClass>) {
          super(given[0] as never);
          throw new RangeError('broken');
        }
      },
    );
    expect(rows).toEqual(['s0/0 RangeError', 's1/0 RangeError', 's2/0 RangeError']);
    expect(said).toBe('broken');
  });

  test('without act: it is no agent', async () => {
    class Half {
      reset() {}
    }
    const world = new FakeWorld({ agentClass: Half as never });
    const ports = { ...world.ports(), isInterruption: (error: unknown) => error instanceof AgentShapeError };
    const lane = new Lane(newLane(0, 3, null), ports);
    await expect(lane.run()).rejects.toThrow(
      "agent.file: the class lacks the method 'act'; write it, or extend MemoryAgent",
    );
    expect(world.records).toEqual([]);
  });

  test('with act alone: it is one', async () => {
    class Able {
      act = async () => 'right';
    }
    const world = new FakeWorld({ agentClass: Able as never, rules: { num_trials: 2 } });
    expect(await world.lane(1).run()).toBe('finished');
    expect(world.records.map(summary)).toEqual(['s0/0 yes', 's0/1 yes']);
  });
});

test('an environment that cannot begin with a sample spoils its episode and no other', async () => {
  const world = new FakeWorld({ closed: 's1', answer: () => 'right', rules: { num_trials: 2 } });
  expect(await world.lane(3).run()).toBe('finished');
  expect(world.records.map(summary)).toEqual([
    ...['s0/0 yes', 's0/1 yes'],
    ...['s1/0 EnvironmentError', 's1/1 EnvironmentError'],
    ...['s2/0 yes', 's2/1 yes'],
  ]);
  expect(world.records[2]).toMatchObject({ steps: [], calls: [], error: { message: 'closed' } });
});
