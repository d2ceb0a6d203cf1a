import { afterEach } from 'vitest';
import type { ChatMessage, GenerateRequest, LanguageModel } from '../../src/contracts/language-model.js';
import { LanguageModelError } from '../../src/language-models/errors.js';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
} from '../support/fake-providers/fake-provider.js';

/** A request with one user message, or with the given ones. */
export function request(
  messages: string | ChatMessage[] = 'What is 100 + 7?',
  rest: Partial<Omit<GenerateRequest, 'call'>> & { call?: Partial<GenerateRequest['call']> } = {},
): GenerateRequest {
  return {
    parameters: {},
    ...rest,
    messages: typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages,
    call: { sample_id: 's1', trial: 0, purpose: 'act', ordinal: 0, ...rest.call },
  };
}

/** The error a call rejects with; fails the test where it does not. */
export async function failure(call: Promise<unknown>): Promise<LanguageModelError> {
  const outcome = await call.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (!(outcome instanceof LanguageModelError)) {
    throw new Error(`expected a LanguageModelError, not ${JSON.stringify(outcome)} ${String(outcome)}`);
  }
  return outcome;
}

const running: FakeProvider[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.close()));
});

/** A fake provider that is closed after the test. */
export async function fake(kind: ProviderKind, options?: FakeProviderOptions): Promise<FakeProvider> {
  const provider = await startFakeProvider(kind, options);
  running.push(provider);
  return provider;
}

/** The adapter for a fake provider. */
export async function modelFor(
  provider: FakeProvider,
  {
    model,
    ...options
  }: {
    model?: string;
    timeoutMs?: number;
    maxReplyMb?: number;
    apiKey?: string;
    notify?: (said: string) => void;
  } = {},
): Promise<LanguageModel> {
  const common = { apiKey: 'secret-key-1234', timeoutMs: 10_000, baseUrl: provider.baseUrl, ...options };
  switch (provider.kind) {
    case 'openai': {
      const { openaiLanguageModel } = await import('../../src/language-models/openai.js');
      return openaiLanguageModel({ model: model ?? 'gpt-4o-mini', ...common });
    }
    case 'gemini': {
      const { geminiLanguageModel } = await import('../../src/language-models/gemini.js');
      return geminiLanguageModel({ model: model ?? 'gemini-2.5-flash', ...common });
    }
    case 'bedrock': {
      const { bedrockLanguageModel } = await import('../../src/language-models/bedrock.js');
      return bedrockLanguageModel({ model: model ?? 'meta.llama4-v1:0', region: 'eu-central-1', ...common });
    }
    case 'anthropic': {
      const { anthropicLanguageModel } = await import('../../src/language-models/anthropic.js');
      return anthropicLanguageModel({ model: model ?? 'claude-sonnet-4-5', ...common });
    }
  }
}

export const weatherTool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** A chat in which the model asked two tools at once and both have answered. */
export const toolChat: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Compare the weather of Oslo and Rome.' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      { id: 'a1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { id: 'a2', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ],
  },
  { role: 'tool', content: '-3 °C', tool_call_id: 'a1' },
  { role: 'tool', content: '17 °C', tool_call_id: 'a2' },
];
