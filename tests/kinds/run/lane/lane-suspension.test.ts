import { expect, test } from 'vitest';
import type { LaneState } from '../../../../src/kinds/run/lane/lane-state.js';
import type { LanePorts, LaneRules } from '../../../../src/runtime/ports.js';
import { createRandom, type Random } from '../../../../src/statistics/random.js';
import { FakeWorld, historyAgent, reflexionAgent } from '../../../support/fake-world.js';

const SAMPLES = 3;

/** Rules, an agent and a model that differ from seed to seed. The model reads its prompt, so memory matters. */
function drawn(seed: number) {
  const random = createRandom(`world ${seed}`);
  const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const rules: Partial<LaneRules> = {
    num_trials: choose([1, 2, 3]),
    early_stop_on_success: choose([true, false]),
    carry_memory_across_trials: choose([true, false]),
    max_steps_per_episode: choose([null, 1, 3]),
    reset_each_trial: choose([true, false]),
    step_with_reply: choose([true, false]),
  };
  const answer: NonNullable<ConstructorParameters<typeof FakeWorld>[0]>['answer'] = (name, { messages }) => {
    const draw = createRandom(`${seed} ${name} ${messages.map(({ content }) => content).join('\n')}`)();
    if (draw < 0.1) return new Error(`lost ${draw}`);
    return draw < 0.3 && name.includes('act') ? 'right' : `answer ${draw}`;
  };
  const agent = choose([
    historyAgent,
    reflexionAgent('episode_end'),
    reflexionAgent('per_step'),
    reflexionAgent('both'),
  ]);
  return { rules, answer, agent, patience: choose([1, 2, 5]) };
}

/** Runs to the end; a suspended lane continues in another one, from its state as JSON. */
async function run(seed: number, mayProceed: LanePorts['mayProceed']) {
  const world = new FakeWorld({ ...drawn(seed), mayProceed });
  let lane = world.lane(SAMPLES);
  while ((await lane.run()) === 'suspended') {
    lane = world.lane(JSON.parse(JSON.stringify(lane.snapshot())) as LaneState);
  }
  const { records, calls, prompts } = world;
  return { records, calls, prompts, state: lane.snapshot() };
}

test('a lane that is handed on between any two steps does what an undisturbed one does', async () => {
  const handedOn = { episode: 0, step: 0 };
  const suspend = (random: Random) => async (boundary: 'episode' | 'step') => {
    const continues = random() < 0.6;
    if (!continues) handedOn[boundary] += 1;
    return continues;
  };
  for (let seed = 0; seed < 60; seed++) {
    const undisturbed = await run(seed, async () => true);
    const disturbed = await run(seed, suspend(createRandom(`suspend ${seed}`)));
    expect(disturbed, `seed ${seed}`).toEqual(undisturbed);
  }
  expect(handedOn.episode).toBeGreaterThan(50);
  expect(handedOn.step).toBeGreaterThan(50);
});

test('a lane that is handed on at every boundary still gets on', async () => {
  for (let seed = 0; seed < 20; seed++) {
    let proceed = false;
    const everyOther = async () => {
      proceed = !proceed;
      return proceed;
    };
    expect(await run(seed, everyOther)).toEqual(await run(seed, async () => true));
  }
});

test('a state names the episode in work, and none between episodes', async () => {
  const states: LaneState[] = [];
  let boundaries = 0;
  const world = new FakeWorld({
    patience: 3,
    rules: { num_trials: 2 },
    mayProceed: async () => boundaries++ % 2 === 0,
  });
  let lane = world.lane(1);
  while ((await lane.run()) === 'suspended') {
    states.push(JSON.parse(JSON.stringify(lane.snapshot())) as LaneState);
    lane = world.lane(structuredClone(states.at(-1)) as LaneState);
  }
  expect(states.map(({ trial, episode }) => [trial, episode?.steps.length ?? 'none'])).toEqual([
    [0, 1],
    [0, 2],
    [1, 'none'],
    [1, 1],
    [1, 2],
  ]);
  expect(world.opened).toEqual(['s0/0']);
});
