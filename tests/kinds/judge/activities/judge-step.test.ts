import { describe, expect, test } from 'vitest';
import { at, experimentOf, judgeWorld } from '../../../activities/judge-support.js';
import { episode } from '../../../trajectories/support.js';
import { verdictText } from '../judging/support.js';

const TWO = [episode('a', [0, 1]), episode('b', [1], { episode_id: null })];
const COST = { lm_calls: 1, usage: { input_tokens: 6, output_tokens: 4 }, cost_usd: 0.5 };
const SCORES = { helpful: 4, polite: 1 };

describe('a step is judged', () => {
  test('once, whoever asks for it again', async () => {
    const objects = experimentOf(...TWO);
    const first = judgeWorld(objects, () => verdictText());
    const plan = await first.prepare();
    expect(plan).toMatchObject({ steps: [2, 1], model: 'openai/fake', experiment: 'toy', simulated: false });
    const judged = { kind: 'judged', scores: SCORES, ...COST };
    expect(await first.run('judgeStep', at(plan, 0, 1))).toEqual(judged);
    expect(first.asked[0]?.call).toEqual({
      sample_id: 't1/0/1',
      trial: 0,
      purpose: 'judge',
      ordinal: 0,
    });
    // Another attempt, another worker, and another execution of the same judgement.
    expect(await first.run('judgeStep', at(plan, 0, 1))).toEqual(judged);
    const second = judgeWorld(objects, () => 'never asked');
    expect(await second.run('judgeStep', at(plan, 0, 1))).toEqual(judged);
    const again = await second.prepare({}, 'second');
    expect(again.artifacts).toBe(plan.artifacts);
    // The judgement's totals began with it.
    expect(again.spent).toEqual(COST);
    expect(await second.run('judgeStep', at(again, 0, 1))).toEqual({ ...judged, counted: COST });
    expect([first.asked.length, second.asked.length]).toEqual([1, 0]);
  });

  test('again where the reply is malformed, with what is wrong with it', async () => {
    const replies = ['Four of five.', verdictText(9), verdictText()];
    const world = judgeWorld(experimentOf(...TWO), ({ call }) => replies[call.ordinal] ?? '');
    const plan = await world.prepare();
    expect(await world.run('judgeStep', at(plan, 0, 0))).toEqual({ kind: 'malformed', ...COST });
    expect(await world.run('judgeStep', at(plan, 0, 0, 1))).toEqual({ kind: 'malformed', ...COST });
    expect(await world.run('judgeStep', at(plan, 0, 0, 2))).toMatchObject({ kind: 'judged', scores: SCORES });
    const last = world.asked[2]?.messages ?? [];
    expect(last.slice(2).map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'user']);
    expect(last[2]?.content).toBe('Four of five.');
    expect(last[5]?.content).toContain('"helpful": "score" must be a number from 1 to 5; it is 9.');
    const metrics = await world.finalize(plan);
    expect(metrics).toMatchObject({ steps: 1, malformed_replies: 2, lm_calls: 3, errors: 0 });
  });

  test('anew where what it is asked about has changed', async () => {
    const objects = experimentOf(...TWO);
    const world = judgeWorld(objects, () => verdictText());
    const plan = await world.prepare();
    await world.run('judgeStep', at(plan, 0, 0));
    objects.set(
      'toy/trajectories.jsonl',
      Buffer.from(String(objects.get('toy/trajectories.jsonl')).replace('question', 'another question')),
    );
    const again = await world.prepare({}, 'second');
    expect(again.artifacts).toBe(plan.artifacts);
    await world.run('judgeStep', at(again, 0, 0));
    expect(world.asked).toHaveLength(2);
  });

  test('under a name of its own, where rows have the same one', async () => {
    const world = judgeWorld(experimentOf(TWO[0], TWO[0]), () => verdictText());
    const plan = await world.prepare();
    await world.run('judgeStep', at(plan, 0, 0));
    await world.run('judgeStep', at(plan, 1, 0));
    expect(world.asked.map(({ call }) => call.sample_id)).toEqual(['t1/0/0', 't1/0 (row 2)/0']);
  });
});
