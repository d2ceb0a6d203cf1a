import { describe, expect, test } from 'vitest';
import { experimentOf, judgeWorld } from '../../../activities/judge-support.js';
import { episode } from '../../../trajectories/support.js';
import { rubricWith, verdictText } from '../judging/support.js';

const TWO = [episode('a', [0, 1]), episode('b', [1], { episode_id: null })];

describe('a judgement has a folder of its own', () => {
  test('for each rubric and each judge, whatever its pace', async () => {
    const world = judgeWorld(experimentOf(...TWO), () => verdictText());
    const name = async (fields = {}) => (await world.prepare(fields)).name;
    const plain = await name();
    expect(plain).toMatch(/^manners-fake-[0-9a-f]{8}$/);
    expect(await name({ concurrency: 2, limits: { max_lm_calls: 9 } })).toBe(plain);
    const base_url = 'http://127.0.0.1:9/v1';
    const others = [
      await name({ rubric: rubricWith({ show_reward: true }) }),
      await name({ rubric: rubricWith({ instructions: 'Be strict.' }) }),
      await name({ lm: { model: 'openai/fake', base_url, temperature: 0 } }),
      await name({ lm: { model: 'openai/other', base_url } }),
    ];
    expect(new Set([plain, ...others]).size).toBe(5);
  });

  test('which its execution owns', async () => {
    const world = judgeWorld(experimentOf(...TWO), () => verdictText());
    const plan = await world.prepare({}, 'execution-1');
    expect(world.linesOf(plan, 'owners/000001.json')).toMatchObject([{ execution: 'execution-1' }]);
  });
});

describe('what cannot be judged is refused', () => {
  test.each([
    [
      'an experiment that has not ended',
      new Map(),
      /experiment: there is no file at .*toy\/trajectories\.jsonl/,
    ],
    ['one without an episode', experimentOf(''), /has no rows/],
    [
      'a row that is no trajectory',
      experimentOf(TWO[0], { timesteps: [] }),
      /experiment: line 2 of .*timesteps/,
    ],
    ['a row that is no JSON', experimentOf('{'), /experiment: line 1 of .* is no JSON/],
  ])('%s', async (_, objects, message) => {
    const world = judgeWorld(objects, () => '');
    await expect(world.prepare()).rejects.toMatchObject({
      type: 'InvalidInput',
      nonRetryable: true,
      message: expect.stringMatching(message),
    });
  });

  test('by a model whose key is missing, or whose price is not known where dollars are limited', async () => {
    const world = judgeWorld(experimentOf(...TWO), () => '');
    await expect(world.prepare({ lm: 'gemini/gemini-2.5-flash' })).rejects.toThrow(
      /lm\.model: .*GEMINI_API_KEY/,
    );
    await expect(world.prepare({ limits: { max_cost_usd: 1 } })).rejects.toThrow(/limits\.max_cost_usd/);
  });
});
