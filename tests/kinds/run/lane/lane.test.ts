import { describe, expect, test } from 'vitest';
import { CallRefusedError } from '../../../../src/runtime/ports.js';
import { entriesOf, FakeWorld, reflexionAgent, summary } from '../../../support/fake-world.js';

/** Right from this trial on, for every sample. */
const rightFromTrial = (trial: number) => (name: string) =>
  name.includes('reflect') ? 'advice' : Number(name.split(' · ')[1]) >= trial ? 'right' : 'wrong';

async function finished(world: FakeWorld, samples = 1) {
  const lane = world.lane(samples);
  expect(await lane.run()).toBe('finished');
  return lane;
}

describe('samples and trials', () => {
  test('samples go in order, each for all its trials, with calls numbered within sample, trial and purpose', async () => {
    const world = new FakeWorld({ rules: { num_trials: 2 }, patience: 2, agent: reflexionAgent('both') });
    const lane = await finished(world, 2);
    expect(world.records.map(summary)).toEqual(['s0/0 no no', 's0/1 no no', 's1/0 no no', 's1/1 no no']);
    expect(world.calls.slice(0, 5)).toEqual([
      's0 · 0 · act · 0',
      's0 · 0 · reflect · 0',
      's0 · 0 · act · 1',
      's0 · 0 · reflect · 1',
      's0 · 0 · reflect · 2',
    ]);
    expect(world.calls.at(5)).toBe('s0 · 1 · act · 0');
    expect(world.records[0]?.calls.map(({ purpose, step }) => `${purpose} ${step}`)).toEqual([
      'act 0',
      'reflect 0',
      'act 1',
      'reflect 1',
      'reflect 2',
    ]);
    expect(lane.snapshot()).toMatchObject({ slot: 2, last_sample: { index: 1, id: 's1' } });
  });

  test('without early stop a sample that succeeded is tried again', async () => {
    const world = new FakeWorld({ rules: { num_trials: 3 }, answer: rightFromTrial(0) });
    await finished(world);
    expect(world.records.map(summary)).toEqual(['s0/0 yes', 's0/1 yes', 's0/2 yes']);
  });

  test('with early stop the first success ends a sample, and the next one begins at trial 0', async () => {
    const rules = { num_trials: 3, early_stop_on_success: true };
    const world = new FakeWorld({ rules, answer: rightFromTrial(1) });
    await finished(world, 2);
    expect(world.records.map(summary)).toEqual(['s0/0 no', 's0/1 yes', 's1/0 no', 's1/1 yes']);
  });

  test('an error does not count as the success that stops early', async () => {
    const rules = { num_trials: 2, early_stop_on_success: true };
    const world = new FakeWorld({ rules, answer: (name) => (name.includes('· 0 · act') ? '' : 'right') });
    await finished(world);
    expect(world.records.map(summary)).toEqual(['s0/0 EmptyReply', 's0/1 yes']);
  });

  test.each([
    [false, ['s0/0']],
    [true, ['s0/0', 's0/1', 's0/2']],
  ])('with reset_each_trial %s the environment is opened for %j', async (reset_each_trial, opened) => {
    const world = new FakeWorld({ rules: { num_trials: 3, reset_each_trial } });
    await finished(world);
    expect(world.opened).toEqual(opened);
  });
});

describe('memory', () => {
  test('is carried across trials and samples', async () => {
    const world = new FakeWorld({ rules: { num_trials: 2 } });
    const lane = await finished(world, 2);
    expect(entriesOf(lane.snapshot().memory).filter((entry) => entry.startsWith('Action'))).toHaveLength(4);
    expect(world.prompts.at(-1)).toContain('Observation: question 0');
  });

  test('that is not carried: each trial begins with what its sample found, which the last trial adds to', async () => {
    const rules = { num_trials: 3, carry_memory_across_trials: false };
    const world = new FakeWorld({ rules, answer: (name) => `said in ${name}` });
    const lane = await finished(world, 2);
    for (const prompt of world.prompts.slice(0, 3)) expect(prompt).not.toContain('said in');
    for (const prompt of world.prompts.slice(3)) {
      expect(prompt.match(/said in [^\n]*/g)).toEqual(['said in s0 · 2 · act · 0']);
    }
    const actions = entriesOf(lane.snapshot().memory).filter((entry) => entry.startsWith('Action'));
    expect(actions).toEqual(['Action: said in s0 · 2 · act · 0', 'Action: said in s1 · 2 · act · 0']);
  });
});

describe('steps', () => {
  test('an episode ends when the environment is done, with the sum of its rewards', async () => {
    const answer = (name: string) => (name.endsWith('2') ? 'right' : 'wrong');
    const world = new FakeWorld({ patience: 7, answer });
    await finished(world);
    const [record] = world.records;
    expect(summary(record as never)).toBe('s0/0 no no yes');
    expect(record).toMatchObject({ reward: 1, error: null, started_at: 1000, ended_at: 2000 });
    expect(record?.steps.map(({ obs, reward, done }) => [obs, reward, done])).toEqual([
      ['question 0', 0, false],
      ['try 2', 0, false],
      ['try 3', 1, true],
    ]);
  });

  test('max_steps_per_episode ends it before the environment does', async () => {
    const world = new FakeWorld({
      rules: { max_steps_per_episode: 2 },
      patience: 5,
      agent: reflexionAgent(),
    });
    await finished(world);
    expect(world.records.map(summary)).toEqual(['s0/0 no no']);
    expect(world.records[0]?.steps.at(-1)?.done).toBe(false);
    expect(world.calls).toEqual(['s0 · 0 · act · 0', 's0 · 0 · act · 1', 's0 · 0 · reflect · 0']);
  });

  test('with step_with_reply the environment answers along with the model, to the same effect', async () => {
    const outcomes = [];
    for (const step_with_reply of [false, true]) {
      const answer = (name: string) => (name.includes('· 1 · act · 1') ? 'right' : `wrong ${name}`);
      const rules = { num_trials: 2, step_with_reply };
      const world = new FakeWorld({ rules, patience: 3, agent: reflexionAgent('both'), answer });
      const lane = await finished(world, 2);
      expect(world.steps).toBe(step_with_reply ? 0 : 10);
      const records = world.records.map(({ steps, ...record }) => ({
        ...record,
        steps: steps.map(({ act, ...step }, index) => {
          expect(act).toBe(step_with_reply ? index : undefined);
          return step;
        }),
      }));
      outcomes.push({ records, calls: world.calls, memory: lane.snapshot().memory });
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});

describe('what goes wrong', () => {
  test('a call that fails for good makes an error row, and the lane continues', async () => {
    const answer = (name: string) => (name.startsWith('s0') ? new Error('the server is gone') : 'right');
    const world = new FakeWorld({ answer });
    await finished(world, 2);
    expect(world.records.map(summary)).toEqual(['s0/0 Error', 's1/0 yes']);
    expect(world.records[0]).toMatchObject({
      error: { type: 'Error', message: 'the server is gone' },
      steps: [],
      calls: [{ sample_id: 's0', trial: 0, purpose: 'act', ordinal: 0, step: 0 }],
    });
  });

  test.each([false, true])(
    'an empty reply is an error, not a wrong answer (step_with_reply: %s)',
    async (on) => {
      const world = new FakeWorld({ rules: { step_with_reply: on }, answer: () => ' \n' });
      const lane = await finished(world);
      expect(world.records[0]?.error?.type).toBe('EmptyReply');
      expect(world.records[0]?.steps).toEqual([]);
      expect(entriesOf(lane.snapshot().memory)).toEqual([]);
    },
  );

  test.each([false, true])('so is a step that the environment refuses (step_with_reply: %s)', async (on) => {
    const world = new FakeWorld({
      rules: { step_with_reply: on },
      patience: 3,
      refuses: 'break',
      agent: reflexionAgent(),
      answer: (name) => (name.endsWith('1') ? 'break' : 'wrong'),
    });
    await finished(world);
    expect(world.records.map(summary)).toEqual(['s0/0 no EnvironmentError']);
    expect(world.records[0]).toMatchObject({ error: { message: 'no: break' }, unjudged: 'break' });
    // There is nothing to reflect on.
    expect(world.calls.some((name) => name.includes('reflect'))).toBe(false);
  });

  test('what fails after a step is a warning as well: the step is booked, and the next one is taken', async () => {
    const answer = (name: string) => (/reflect · [01]$/.test(name) ? new Error('cut off') : 'wrong');
    const world = new FakeWorld({ agent: reflexionAgent('per_step'), patience: 3, answer });
    const lane = await finished(world);
    expect(world.records[0]?.steps.length).toBe(3);
    expect(world.records[0]).toMatchObject({
      error: null,
      warnings: ['after step 1: cut off', 'after step 2: cut off'],
    });
    const memory = JSON.stringify(lane.snapshot().memory);
    expect(memory.split('"experience"').length - 1).toBe(3);
    expect(memory.split('"reflection"').length - 1).toBe(1);
  });

  test('what fails after the episode is a warning: the answer stays judged', async () => {
    const answer = (name: string) => (name.includes('reflect') ? new Error('cut off') : 'wrong');
    const world = new FakeWorld({ agent: reflexionAgent(), answer });
    await finished(world);
    expect(world.records[0]).toMatchObject({ error: null, warnings: ['after the episode: cut off'] });
    expect(world.records.map(summary)).toEqual(['s0/0 no']);
  });

  test.each(['s0 · 1 · act · 0', 's0 · 1 · act · 1', 's0 · 1 · reflect · 0'])(
    'a refused call (%s) ends the lane without a record of its episode',
    async (refused) => {
      const world = new FakeWorld({
        rules: { num_trials: 2 },
        patience: 2,
        agent: reflexionAgent(),
        answer: (name) => (name === refused ? new CallRefusedError() : 'wrong'),
      });
      const lane = world.lane(2);
      expect(await lane.run()).toBe('suspended');
      expect(world.records.map(summary)).toEqual(['s0/0 no no']);
      expect(world.calls.at(-1)).toBe(refused);
      expect(lane.snapshot()).toMatchObject({ slot: 0, trial: 1 });
    },
  );
});
