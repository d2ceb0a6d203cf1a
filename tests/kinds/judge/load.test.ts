import { describe, expect, test } from 'vitest';
import { resolveConfig } from '../../../src/config/load.js';
import { AGENT_RUBRIC } from '../../../src/kinds/judge/agent-rubric.js';
import { judgeConfigs } from '../../../src/kinds/judge/config.js';
import { judgementName } from '../../../src/kinds/judge/folder.js';
import { folderWith, refusal } from '../../support/configs.js';
import { rubricWith } from './judging/support.js';

const RUBRIC = 'criteria: [{name: helpful, description: Does it help?, range: [1, 5]}]\n';
const CRITERIA = [{ name: 'helpful', description: 'Does it help?', range: [1, 5] }];
const ASKED = { experiment: 'results/toy', rubric: 'strict.yaml', lm: 'openai/gpt-4.1' };

/** A judgement asked for in a folder that has a rubric. */
function resolved(fields: Record<string, unknown> = {}, overrides: string[] = []) {
  const folder = folderWith({ 'strict.yaml': RUBRIC, 'script.yaml': '- reply: x\n', 'list.yaml': '- x\n' });
  const config = resolveConfig(
    judgeConfigs,
    { ...ASKED, ...fields },
    { source: 'the command line', folder, overrides },
  );
  return { folder, config };
}

describe('a judgement is asked for', () => {
  test('with a rubric that is named after its file, and defaults for the rest', () => {
    const { folder, config } = resolved();
    expect(config).toMatchObject({
      experiment: `${folder}/results/toy`,
      rubric: { name: 'strict', instructions: null, show_reward: false, criteria: CRITERIA },
      lm: { provider: 'openai', model: 'gpt-4.1' },
      concurrency: 8,
      limits: { max_cost_usd: null, max_lm_calls: null, max_tokens: null, max_wall_seconds: null },
    });
  });

  test('with further fields, those of the rubric and of the model included', () => {
    const { folder, config } = resolved({ lm: { model: 'scripted/judge' } }, [
      'lm.script=script.yaml',
      'rubric.show_reward=true',
      'rubric.name=kind',
      'limits.max_lm_calls=9',
    ]);
    expect(config).toMatchObject({
      rubric: { name: 'kind', show_reward: true, criteria: CRITERIA },
      lm: { provider: 'scripted', script: `${folder}/script.yaml` },
      limits: { max_lm_calls: 9 },
    });
  });

  test('by flags, whose model and rubric --set may change as well', () => {
    const folder = folderWith({ 'strict.yaml': RUBRIC });
    const config = resolveConfig(
      judgeConfigs,
      { experiment: 'results/toy' },
      {
        source: 'the command line',
        folder,
        workingFolder: folder,
        flags: { model: 'openai/gpt-4.1', rubric: 'strict.yaml' },
        overrides: ['lm.temperature=0', 'rubric.show_reward=true'],
      },
    );
    expect(config).toMatchObject({
      rubric: { name: 'strict', show_reward: true },
      lm: { provider: 'openai', model: 'gpt-4.1', temperature: 0 },
    });
  });

  test('without a rubric, which is then that of an agent, and may be changed', () => {
    const { config } = resolved({ rubric: undefined }, ['rubric.show_reward=true']);
    expect(config.rubric).toEqual({ ...AGENT_RUBRIC, show_reward: true });
    expect(AGENT_RUBRIC.show_reward).toBe(false);
    const again = resolveConfig(judgeConfigs, JSON.parse(JSON.stringify(config)), {
      source: 'the input',
      folder: '/',
    });
    expect(judgementName(again)).toBe(judgementName(config));
  });

  test('with a model that is a file', () => {
    const { folder, config } = resolved({ lm: 'scripted/script.yaml' });
    expect(config.lm).toMatchObject({ provider: 'scripted', script: `${folder}/script.yaml` });
  });

  test('again as it is, under the same name', () => {
    const { config } = resolved({ experiment: 's3://bucket/toy/', rubric: rubricWith() }, ['lm.cache=true']);
    const handedOver = JSON.parse(JSON.stringify(config));
    const again = resolveConfig(judgeConfigs, handedOver, { source: 'the input', folder: '/elsewhere' });
    expect(JSON.parse(JSON.stringify(again))).toEqual(handedOver);
    expect(again.experiment).toBe('s3://bucket/toy');
    expect(judgementName(again)).toBe(judgementName(config));
  });
});

describe('what is wrong is named', () => {
  const criterion = (fields: Record<string, unknown>) => ({
    rubric: { name: 'r', criteria: [{ ...CRITERIA[0], ...fields }] },
  });
  test.each([
    ['a rubric that is not there', { rubric: 'none.yaml' }, /^rubric: there is no file at .*none\.yaml/],
    ['one in S3', { rubric: 's3://b/r.yaml' }, /^rubric: .*a rubric is a file of this machine/],
    ['one that is a list', { rubric: 'list.yaml' }, /^rubric: .*list\.yaml is no mapping with criteria/],
    ['one without a name', { rubric: { criteria: CRITERIA } }, /rubric\.name: is missing/],
    ['no criteria', { rubric: { name: 'r', criteria: [] } }, /rubric\.criteria: must have at least 1 entry/],
    ['a range of one number', criterion({ range: [1] }), /rubric\.criteria\[0\]\.range/],
    ['a range backwards', criterion({ range: [5, 1] }), /range: the first number must be the smaller one/],
    ['a name with a space', criterion({ name: 'is kind' }), /criteria\[0\]\.name: must be letters/],
    ['the name of an error', criterion({ name: 'error' }), /criteria\[0\]\.name: must be letters/],
    [
      'a name twice',
      { rubric: { name: 'r', criteria: [...CRITERIA, ...CRITERIA] } },
      /criteria: two criteria have the same name/,
    ],
    ['a mistyped field', criterion({ describtion: 'x' }), /'describtion', did you mean 'description'\?/],
    ['a model without a provider', { lm: 'gpt-4.1' }, /lm\.model: 'gpt-4.1' does not begin with a provider/],
    [
      'a script that is not there',
      { lm: { model: 'scripted/j', script: 'no.yaml' } },
      /lm\.script: there is no file/,
    ],
    ['a key', { lm: { model: 'openai/x', api_key: 'k' } }, /lm\.api_key: .*never written in a config/],
  ])('%s', (_, fields, message) => {
    expect(refusal(() => resolved(fields)).message).toMatch(message);
  });
});
