import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LanguageModelConfig } from '../../src/config/language-model-schema.js';
import { withPermissions } from '../../src/config/named-files.js';
import {
  createLanguageModel,
  type LanguageModelSettings,
  missingCredentials,
} from '../../src/language-models/create.js';
import { atServer } from '../../src/language-models/server-address.js';
import { failure, fake, request } from './support.js';

const JITI = 'node_modules/jiti/lib/jiti-cli.mjs';

describe('missing credentials', () => {
  it.each([
    ['gemini', {}, 'set GEMINI_API_KEY or GOOGLE_API_KEY'],
    ['gemini', { GOOGLE_API_KEY: 'k' }, null],
    ['openai', {}, 'set OPENAI_API_KEY'],
    ['openai', { OPENAI_API_KEY: '  ' }, 'set OPENAI_API_KEY'],
    ['openai', { OPENAI_API_KEY: 'k' }, null],
    ['anthropic', { OPENAI_API_KEY: 'k' }, 'set ANTHROPIC_API_KEY'],
    ['scripted', {}, null],
    ['replay', {}, null],
    ['simulated', {}, null],
  ] as const)('of %s with %j', (provider, environment, expected) => {
    const said = missingCredentials({ provider }, environment);
    if (expected === null) expect(said).toBeNull();
    else expect(said).toContain(expected);
  });

  it("are none for a server of one's own", () => {
    expect(missingCredentials({ provider: 'openai', base_url: 'http://127.0.0.1:1/v1' }, {})).toBeNull();
    expect(missingCredentials({ provider: 'anthropic', base_url: 'http://127.0.0.1:1' }, {})).not.toBeNull();
  });
});

describe('the server that the environment names', () => {
  it('is asked where the config names none, and needs no key', async () => {
    const [provider, other] = [await fake('openai'), await fake('openai')];
    const environment = { OPENAI_BASE_URL: ` ${provider.baseUrl}\n` };
    expect(missingCredentials({ provider: 'openai' }, environment)).toBeNull();
    const settings = { provider: 'openai' as const, model: 'm', timeout_sec: 5 };
    for (const base_url of [undefined, other.baseUrl]) {
      const { model } = await createLanguageModel({ ...settings, base_url }, { environment });
      await model.generate(request());
    }
    expect([provider, other].map(({ statistics }) => statistics.calls)).toEqual([1, 1]);
  });

  it.each([
    ['anthropic', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
    ['gemini', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY'],
  ] as const)('is that of %s: %s', async (kind, variable, key) => {
    const provider = await fake(kind);
    const settings = { provider: kind, model: 'm', timeout_sec: 5 };
    const environment = { [variable]: provider.baseUrl, [key]: 'k' };
    const { model } = await createLanguageModel(settings, { environment });
    await model.generate(request());
    expect(provider.statistics.calls).toBe(1);
  });

  it.each([
    ['is near by where a model is named by its path', {}, 'http://127.0.0.1:8000/v1'],
    [
      'has such a model where it is named',
      { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
      'http://127.0.0.1:9/v1',
    ],
  ])('%s', (_what, environment, base_url) => {
    const lm = { provider: 'openai' as const, model: '/path/to/model' };
    expect(atServer(lm, environment)).toEqual({ ...lm, base_url });
    expect(missingCredentials(lm, environment)).toBeNull();
    expect(atServer({ ...lm, model: 'gpt-4o' }, {})).not.toHaveProperty('base_url');
  });

  it('may be one that no start may name', async () => {
    const address = 'http://127.0.0.1:9/v1';
    const check = ({ what }: { what: string }) => {
      throw new Error(`not allowed: ${what}`);
    };
    const made = (base_url: string | undefined, environment: Record<string, string>) =>
      withPermissions({ check, allow: () => undefined }, () =>
        createLanguageModel({ provider: 'openai', model: 'm', timeout_sec: 5, base_url }, { environment }),
      );
    await expect(made(undefined, { OPENAI_BASE_URL: address })).resolves.toMatchObject({
      provider: 'openai',
    });
    await expect(made(address, { OPENAI_API_KEY: 'k' })).rejects.toThrow('not allowed: http://127.0.0.1:9');
  });

  it('is refused by the name of its variable where it is none', async () => {
    const settings = { provider: 'openai' as const, model: 'm', timeout_sec: 5 };
    const made = createLanguageModel(settings, { environment: { OPENAI_BASE_URL: 'localhost:80' } });
    expect((await failure(made)).message).toBe(
      'OPENAI_BASE_URL is no address; write https://host/path, or leave it out',
    );
  });
});

describe('a model created from a config', () => {
  it('takes a resolved config as the config room makes it', () => {
    const settings: LanguageModelSettings = {} as LanguageModelConfig;
    expect(settings).toBeDefined();
  });

  it('reaches its server with the key of the environment it was given', async () => {
    const provider = await fake('openai');
    const { model, ...rest } = await createLanguageModel(
      { provider: 'openai', model: 'm', base_url: provider.baseUrl, timeout_sec: 5 },
      { environment: { OPENAI_API_KEY: 'from-environment\n', OPENAI_ORG_ID: 'org' } },
    );
    expect(rest).toEqual({ provider: 'openai', modelName: 'm' });
    expect((await model.generate(request())).text).toBe('107');
    const headers = provider.requests[0]?.headers;
    expect(headers?.authorization).toBe('Bearer from-environment');
    expect(headers).not.toHaveProperty('openai-organization');
  });

  it.each(['gemini', 'anthropic'] as const)('reaches %s', async (kind) => {
    const provider = await fake(kind);
    const { model } = await createLanguageModel(
      { provider: kind, model: 'm', base_url: provider.baseUrl, timeout_sec: 5 },
      { environment: { GEMINI_API_KEY: 'k1', ANTHROPIC_API_KEY: 'k2' } },
    );
    expect((await model.generate(request())).text).toBe('107');
  });

  it('keeps timeout_sec', async () => {
    const provider = await fake('openai');
    provider.next({ kind: 'hang', when: 'before_headers' });
    const { model } = await createLanguageModel(
      { provider: 'openai', model: 'm', base_url: provider.baseUrl, timeout_sec: 0.1 },
      { environment: {} },
    );
    expect((await failure(model.generate(request()))).message).toMatch(/did not answer within 0\.1 s$/);
  });

  it('is refused without its key', async () => {
    const error = await failure(
      createLanguageModel(
        { provider: 'gemini', model: 'gemini-2.5-flash', timeout_sec: 5 },
        { environment: {} },
      ),
    );
    expect(error).toMatchObject({ kind: 'authentication', fatalForRun: true });
    expect(error.message).toContain('GEMINI_API_KEY or GOOGLE_API_KEY');
  });

  it('is refused without its file', async () => {
    for (const provider of ['scripted', 'replay'] as const) {
      const error = await failure(
        createLanguageModel({ provider, model: provider, timeout_sec: 5 }, { environment: {} }),
      );
      expect(error).toMatchObject({ kind: 'configuration' });
    }
  });

  it('may be scripted, replayed or simulated', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reprise-create-'));
    try {
      const script = join(folder, 'script.yaml');
      const recording = join(folder, 'calls.jsonl');
      await writeFile(script, '- {reply: scripted reply}');
      await writeFile(recording, '{"sample_id":"s1","text":"recorded reply"}\n');
      const texts = [];
      for (const settings of [
        { provider: 'scripted', script },
        { provider: 'replay', recording },
        { provider: 'simulated', simulation: { accuracy: 1, latency_ms: 1 } },
      ] as const) {
        const { model } = await createLanguageModel(
          { model: settings.provider, timeout_sec: 5, ...settings },
          { environment: {}, seed: 3, answerFor: () => ({ target: '9' }) },
        );
        texts.push((await model.generate(request())).text);
      }
      expect(texts).toEqual([
        'scripted reply',
        'recorded reply',
        expect.stringMatching(/^Simulated[\s\S]*Answer: 9$/),
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the stand-alone fake provider', () => {
  it('serves an OpenAI-compatible server and its statistics', async () => {
    const child = spawn(
      process.execPath,
      [JITI, 'tests/support/fake-providers/main.ts', '--fail-every', '2'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(child, 'exit');
    try {
      const [line] = await Promise.race([once(child.stdout, 'data'), exited]);
      const { base_url } = JSON.parse(String(line)) as { base_url: string };
      const { model } = await createLanguageModel(
        { provider: 'openai', model: 'm', base_url, timeout_sec: 20 },
        { environment: {} },
      );
      expect((await model.generate(request('2 + 3'), { idempotencyKey: 'a' })).text).toBe('5');
      expect((await failure(model.generate(request('2 + 3'), { idempotencyKey: 'a' }))).kind).toBe(
        'overloaded',
      );
      expect((await model.generate(request('2 + 3'), { idempotencyKey: 'a' })).text).toBe('5');
      const statistics = await (await fetch(base_url.replace('/v1', '/stats'))).json();
      expect(statistics).toMatchObject({
        calls: 3,
        finished: 2,
        repeated: 1,
        distinctKeys: 1,
        calledAgain: { a: 3 },
      });
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  }, 60_000);
});
