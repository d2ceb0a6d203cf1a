import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Provider, SERVICES } from '../../src/config/providers.js';
import {
  createLanguageModel,
  type LanguageModelSettings,
  missingCredentials,
} from '../../src/language-models/create.js';
import { costOf } from '../../src/language-models/prices.js';
import { atServer } from '../../src/language-models/server-address.js';
import { failure, fake, request } from './support.js';

afterEach(() => vi.unstubAllEnvs());

const settings = (provider: Provider, base_url?: string): LanguageModelSettings => ({
  provider,
  model: 'm',
  timeout_sec: 30,
  ...(base_url !== undefined && { base_url }),
});

describe('services that speak as OpenAI does', () => {
  const compatible = Object.entries(SERVICES).flatMap(([name, service]) =>
    'address' in service ? [{ name: name as Provider, ...service }] : [],
  );

  it.each(compatible)('$name is asked at $address', ({ name, address, keys }) => {
    expect(atServer({ provider: name }, {})).toEqual({ provider: name, base_url: address });
    const [key] = keys;
    if (key === undefined) expect(missingCredentials({ provider: name }, {})).toBeNull();
    else {
      expect(missingCredentials({ provider: name }, {})).toContain(`set ${key} in the environment`);
      expect(missingCredentials({ provider: name }, { [key]: 'k' })).toBeNull();
    }
  });

  it.each(compatible)('$name is told its own key, and errors name it', async ({ name, keys }) => {
    const provider = await fake('openai');
    const environment = { OPENAI_API_KEY: 'another', ...(keys[0] && { [keys[0]]: 'its-own-key' }) };
    const { model } = await createLanguageModel(settings(name, provider.baseUrl), { environment });
    await model.generate(request());
    expect(provider.requests[0]?.headers.authorization).toBe(
      `Bearer ${keys[0] === undefined ? 'no-key-needed' : 'its-own-key'}`,
    );
    provider.next({ kind: 'status', status: 401 });
    expect((await failure(model.generate(request()))).message).toMatch(
      new RegExp(`^${name} at 127\\.0\\.0\\.1:\\d+ refused the key \\(HTTP 401\\)`),
    );
  });

  it.each<[string, Provider, object, number | undefined]>([
    ['of OpenRouter', 'openrouter', { cost: 0.00125 }, 0.00125],
    ['of nobody else', 'openai', { cost: 0.00125 }, undefined],
    [
      'beside what it says of the vendor',
      'openrouter',
      { cost: 0.02, is_byok: false, cost_details: { upstream_inference_cost: 0.02 } },
      0.02,
    ],
    [
      "with the user's own key: the vendor's beside its own",
      'openrouter',
      { cost: 0.5, is_byok: true, cost_details: { upstream_inference_cost: 0.25 } },
      0.75,
    ],
    [
      "with the user's own key and no word of the vendor's",
      'openrouter',
      { cost: 0, is_byok: true },
      undefined,
    ],
  ])('the cost of a reply is believed %s', async (_what, name, cost, cost_usd) => {
    const provider = await fake('openai');
    const body = {
      choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2, ...cost },
    };
    provider.next({ kind: 'raw', body: JSON.stringify(body), contentType: 'application/json' });
    const { model } = await createLanguageModel(settings(name, provider.baseUrl), {
      environment: { OPENROUTER_API_KEY: 'k' },
    });
    expect((await model.generate(request())).cost_usd).toBe(cost_usd);
  });
});

describe('Azure', () => {
  it('is asked below the address of a resource, which has to be given', async () => {
    const address = (AZURE_OPENAI_ENDPOINT: string) =>
      atServer(settings('azure'), { AZURE_OPENAI_ENDPOINT }).base_url;
    expect(address('https://team.openai.azure.com')).toBe('https://team.openai.azure.com/openai/v1');
    expect(address('https://gateway.test/azure/openai/v1')).toBe('https://gateway.test/azure/openai/v1');
    expect(missingCredentials({ provider: 'azure' }, { AZURE_OPENAI_API_KEY: 'k' })).toBe(
      'provider azure needs the address of a resource: set AZURE_OPENAI_ENDPOINT in the environment of the worker, or give lm.base_url',
    );
  });

  it('gets its key in both headers that there are', async () => {
    const provider = await fake('openai');
    const environment = { AZURE_OPENAI_API_KEY: 'secret', AZURE_OPENAI_ENDPOINT: provider.baseUrl };
    const { model } = await createLanguageModel(settings('azure'), { environment });
    await model.generate(request());
    expect(provider.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'api-key': 'secret',
    });
  });
});

/** A metadata server, by which Google's library finds the credentials of a machine. */
async function metadataServer(): Promise<{ host: string; close(): void }> {
  const server = createServer((asked, answer) => {
    answer.setHeader('metadata-flavor', 'Google');
    answer.setHeader('content-type', 'application/json');
    const isToken = asked.url?.includes('/token');
    answer.end(
      isToken
        ? JSON.stringify({ access_token: 'of-the-machine', expires_in: 3600, token_type: 'Bearer' })
        : '{}',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe('Vertex AI', () => {
  it("asks a project's models with the credentials of the machine", async () => {
    const provider = await fake('gemini');
    const metadata = await metadataServer();
    vi.stubEnv('GCE_METADATA_HOST', metadata.host);
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
    vi.stubEnv('CLOUDSDK_CONFIG', '/nowhere');
    // A key of Gemini's own API is another's.
    vi.stubEnv('GEMINI_API_KEY', 'not-for-vertex');
    const said = vi.spyOn(console, 'debug');
    const environment = { GOOGLE_CLOUD_PROJECT: 'team', GOOGLE_CLOUD_LOCATION: 'europe-west4' };
    const given = { ...settings('vertex', provider.baseUrl), model: 'gemini-2.5-flash' };
    const { model } = await createLanguageModel(given, { environment });
    expect((await model.generate(request())).text).toBe('107');
    const [asked] = provider.requests;
    expect(asked?.path).toBe(
      '/v1beta1/projects/team/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent',
    );
    expect(asked?.headers.authorization).toBe('Bearer of-the-machine');
    expect(asked?.headers).not.toHaveProperty('x-goog-api-key');
    expect(said).not.toHaveBeenCalled();
    metadata.close();
  });

  it('needs a project, and costs what Gemini costs', () => {
    expect(missingCredentials({ provider: 'vertex' }, {})).toContain(
      'needs a project: set GOOGLE_CLOUD_PROJECT',
    );
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    const [own, cloud] = (['gemini', 'vertex'] as const).map((name) =>
      costOf(name, 'gemini-2.5-flash', usage),
    );
    expect(cloud).toBe(own);
    expect(cloud).toBeGreaterThan(0);
  });
});
