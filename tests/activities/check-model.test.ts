import { expect, test } from 'vitest';
import { checkModel } from '../../src/activities/check-model.js';
import { configOf } from '../support/configs.js';

const key = { OPENAI_API_KEY: 'a-key' };
const server = 'http://127.0.0.1:8000/v1';

test.each<[string, Record<string, unknown>, Record<string, string>, boolean]>([
  ['OpenAI', { model: 'openai/gpt-4o' }, key, false],
  ['OpenAI of a region', { model: 'openai/gpt-4o', base_url: 'https://eu.api.openai.com/v1' }, key, false],
  ['a server that the config names', { model: 'openai/x', base_url: server }, {}, true],
  ['a server that the environment names', { model: 'openai/x' }, { ...key, OPENAI_BASE_URL: server }, true],
  ['a model that is named by its path', { model: '/models/x' }, {}, true],
  ['Gemini', { model: 'gemini-2.5-flash' }, { GEMINI_API_KEY: 'a-key' }, true],
  ['a stand-in', { provider: 'simulated' }, {}, true],
])(
  'top_k is for OpenAI-compatible servers and others, and not for OpenAI: %s',
  async (_name, lm, environment, takes) => {
    const { lm: model } = configOf({ lm: { ...lm, top_k: 20 } });
    const checked = checkModel(model, 'models.agent', { max_cost_usd: null }, environment);
    if (takes) return expect(checked).resolves.toBeUndefined();
    return expect(checked).rejects.toMatchObject({
      field: 'models.agent.top_k',
      message:
        "models.agent.top_k: OpenAI's own API has no such option; leave it out, or name a server that has it in models.agent.base_url",
    });
  },
);

test.each<[model: string, tier: string | undefined, limit: number | null, unknown: string | null]>([
  ['gpt-5-mini', 'flex', 1, null],
  ['gpt-5-mini', 'batch', 1, null],
  ['gpt-5-mini', 'default', 1, null],
  ['gpt-5-mini', 'priority', null, null],
  ['gpt-5-mini', 'priority', 1, 'openai/gpt-5-mini@priority'],
  ['gpt-5.9', 'flex', 1, 'openai/gpt-5.9'],
  ['gpt-5.9', undefined, 1, 'openai/gpt-5.9'],
])(
  'costs of %s at the tier %s are limited to %s: unknown is %s',
  async (model, service_tier, limit, unknown) => {
    const { lm } = configOf({ lm: { model: `openai/${model}`, extra_body: { service_tier } } });
    const checked = checkModel(lm, 'lm', { max_cost_usd: limit }, key);
    if (unknown === null) return expect(checked).resolves.toBeUndefined();
    return expect(checked).rejects.toMatchObject({
      field: 'limits.max_cost_usd',
      message: expect.stringContaining(`the price of ${unknown} is not known`),
    });
  },
);
