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
