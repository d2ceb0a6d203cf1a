import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { LanguageModelError } from '../../../../src/language-models/errors.js';
import { trajectoryJsonSchema } from '../../../../src/trajectories/json-schema.js';
import { at, experimentOf, judgeAll, judgeWorld } from '../../../activities/judge-support.js';
import { episode } from '../../../trajectories/support.js';
import { verdictText } from '../judging/support.js';

const TWO = [episode('a', [0, 1]), episode('b', [1], { episode_id: null })];

describe('the end of a judgement', () => {
  test('counts verdicts that a token limit cut off, and says which setting to raise where one is none', async () => {
    const ending = {
      finish_reason: 'length',
      usage: { input_tokens: 6, output_tokens: 4, reasoning_tokens: 3 },
    } as const;
    const answer = ({ call }: { call: { sample_id: string } }) =>
      call.sample_id === 't1/0/0' ? verdictText(5) : '{"hel';
    const world = judgeWorld(experimentOf(TWO[0]), answer, ending);
    const plan = await world.prepare();
    await judgeAll(world, plan);
    expect(await world.finalize(plan)).toMatchObject({
      steps: 1,
      errors: 1,
      cut_off: 4,
      cut_off_reasoning_tokens: 12,
      error_causes: [
        {
          type: 'MalformedVerdict',
          count: 1,
          message: expect.stringMatching(
            /no JSON object\. The reply was cut off at its token limit .* raise lm\.max_output_tokens/,
          ),
        },
      ],
    });
  });

  test('is rows that the published schema allows, every reply, and figures without the errors', async () => {
    const objects = experimentOf(TWO[0], TWO[1], episode('c', [0], { episode_id: 'c/0' }));
    const world = judgeWorld(objects, ({ call }) => {
      if (call.sample_id.startsWith('c/'))
        throw new LanguageModelError('bad_request', 'too long', { provider: 'fake' });
      return call.sample_id === 't1/0/0' ? 'no' : verdictText(call.sample_id === 't1/0/1' ? 5 : 2);
    });
    const plan = await world.prepare();
    await judgeAll(world, plan);
    const metrics = await world.finalize(plan);
    expect(metrics).toMatchObject({
      kind: 'judge',
      status: 'done',
      rubric: 'manners',
      show_reward: false,
      trajectories: 3,
      steps_planned: 4,
      steps: 2,
      scores: { helpful: { mean: 3.5, range: [1, 5] }, polite: { mean: 1, range: [0, 1] } },
      errors: 2,
      errors_by_type: { MalformedVerdict: 1, bad_request: 1 },
      malformed_replies: 3,
      lm_calls: 5,
      usage: { input_tokens: 30, output_tokens: 20 },
      cost_usd: 2.5,
      wall_seconds: 2,
    });
    const rows = world.linesOf(plan, 'trajectories.jsonl');
    const schema = z.fromJSONSchema(
      JSON.parse(JSON.stringify(trajectoryJsonSchema('llm-evaluated-trajectory'))),
    );
    for (const row of rows) expect(schema.safeParse(row).success).toBe(true);
    expect(rows.map(({ judge_response }) => judge_response)).toMatchObject([
      { judge: 'openai/fake', rubric: 'manners', steps_judged: 1, errors: 1, scores: { helpful: 5 } },
      { steps_judged: 1, errors: 0, scores: { helpful: 2, polite: 1 } },
      { steps_judged: 0, errors: 1, scores: { helpful: null } },
    ]);
    expect(rows[0]?.timesteps).toMatchObject([
      { reward: 0, judge_response: { error: { type: 'MalformedVerdict' } } },
      { reward: 1, judge_response: { helpful: { score: 5, reason: 'It helps.' } } },
    ]);
    expect(world.linesOf(plan, 'calls.jsonl').map(({ sample_id, ordinal }) => [sample_id, ordinal])).toEqual([
      ['t1/0/0', 0],
      ['t1/0/0', 1],
      ['t1/0/0', 2],
      ['t1/0/1', 0],
      ['row 2/0', 0],
    ]);
    // A second attempt of the same end finds it written.
    expect([...objects.keys()].filter((key) => key.includes('/episodes/'))).toEqual([]);
    expect(await world.finalize(plan)).toEqual(metrics);
  });

  test('is continued from: errors are tried again, and nothing else is asked', async () => {
    const objects = experimentOf(...TWO);
    let down = true;
    const world = judgeWorld(objects, ({ call }) => {
      if (down && call.sample_id === 'row 2/0')
        throw new LanguageModelError('overloaded', 'no', { provider: 'fake' });
      return verdictText();
    });
    const plan = await world.prepare();
    await judgeAll(world, plan);
    expect(await world.finalize(plan)).toMatchObject({
      status: 'incomplete',
      status_message: '1 step is missing (1 overloaded): the same command continues with what is missing',
      steps: 2,
      errors: 1,
    });
    down = false;
    const before = world.asked.length;
    const again = await world.prepare({}, 'second');
    await judgeAll(world, again);
    expect(world.asked.slice(before).map(({ call }) => call.sample_id)).toEqual(['row 2/0']);
    expect(await world.finalize(again)).toMatchObject({
      status: 'done',
      steps: 3,
      errors: 0,
      lm_calls: 3,
      wall_seconds: 4,
    });
  });

  test('says nothing of steps that nobody got to', async () => {
    const world = judgeWorld(experimentOf(...TWO), () => verdictText());
    const plan = await world.prepare();
    await world.run('judgeStep', at(plan, 0, 0));
    expect(await world.finalize(plan, 'stopped')).toMatchObject({ status: 'stopped', steps: 1, errors: 0 });
    const rows = world.linesOf(plan, 'trajectories.jsonl');
    expect(rows[0]?.timesteps).toMatchObject([{ judge_response: {} }, { judge_response: null }]);
    expect(rows[1]?.judge_response).toBeNull();
  });
});
