import { describe, expect, test } from 'vitest';
import { MemoryAgent } from '../../src/agents/memory-agent.js';
import { registerAgent } from '../../src/agents/registry.js';
import type { EpisodeInfo } from '../../src/contracts/agent.js';
import type { Feedback } from '../../src/contracts/environment.js';
import { FakeWorld, historyAgent, summary } from '../support/fake-world.js';

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
  registerAgent('repeating_agent', RepeatingAgent);
  const agent = { ...historyAgent, type: 'repeating_agent', file: 'agent.ts' };

  test('may act without asking the model: each action is a step of its own', async () => {
    const world = new FakeWorld({
      rules: { step_with_reply: true, max_steps_per_episode: 5 },
      agent,
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
      await finished(new FakeWorld({ rules: { max_steps_per_episode }, agent, patience: 3 }));
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
    registerAgent('changing_agent', ChangingAgent);
    const agent = { ...historyAgent, type: 'changing_agent', file: 'agent.ts' };
    const world = new FakeWorld({ rules: { step_with_reply: true }, agent });
    await finished(world);
    expect(world.records.map(summary)).toEqual(['s0/0 yes']);
    expect(world.records[0]?.steps[0]).toMatchObject({ action: 'right' });
    expect(world.records[0]?.steps[0]).not.toHaveProperty('act');
    expect(world.steps).toBe(1);
  });
});
