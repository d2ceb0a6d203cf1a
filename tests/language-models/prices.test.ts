import { describe, expect, it } from 'vitest';
import { costOf, type PriceTable } from '../../src/language-models/prices.js';
import table from '../../src/language-models/prices.json' with { type: 'json' };

const MILLION = { input_tokens: 1_000_000, output_tokens: 1_000_000 };
const SMALL = { input_tokens: 1000, output_tokens: 500 };
const at = new Date('2026-11-21');

describe('the cost of a call', () => {
  it.each([
    ['gemini', 'gemini-2.5-flash', 0.0003 + 0.00125],
    ['gemini', 'gemini-2.5-flash-lite', 0.0001 + 0.0002],
    ['gemini', 'models/gemini-2.5-flash-preview-09-2025', 0.0003 + 0.00125],
    ['gemini', 'gemini-3-pro-preview', 0.002 + 0.006],
    ['gemini', 'gemini-3.1-pro-preview-customtools', 0.002 + 0.006],
    ['gemini', 'gemini-2.5-flash-preview-04-17-thinking', 0.0003 + 0.00125],
    ['openai', 'gpt-4o-2024-08-06', 0.0025 + 0.005],
    ['openai', 'gpt-4o-2024-05-13', 0.005 + 0.0075],
    ['openai', 'gpt-4o-mini', 0.00015 + 0.0003],
    ['openai', 'gpt-5-chat-latest', 0.00125 + 0.005],
    ['openai', 'gpt-4-1106-preview', 0.01 + 0.015],
    ['openai', 'gpt-4-0125-preview', 0.01 + 0.015],
    ['openai', 'gpt-4-0613', 0.03 + 0.03],
    ['openai', 'gpt-4-turbo-preview', 0.01 + 0.015],
    ['openai', 'gpt-3.5-turbo-1106', 0.001 + 0.001],
    ['openai', 'gpt-3.5-turbo-0613', 0.0015 + 0.001],
    ['openai', 'gpt-3.5-turbo-0125', 0.0005 + 0.00075],
    ['anthropic', 'claude-sonnet-4-20250514', 0.003 + 0.0075],
    ['anthropic', 'claude-opus-4-5-20251101', 0.005 + 0.0125],
    ['anthropic', 'claude-3-5-sonnet-latest', 0.003 + 0.0075],
  ])('%s/%s is priced by the longest name that covers it', (provider, model, expected) => {
    expect(costOf(provider, model, SMALL, { at })).toBeCloseTo(expected, 10);
  });

  it.each([
    ['openai', 'gpt-4o-audio-preview'],
    ['openai', 'gpt-5.9'],
    ['openai', 'gpt-4-32k'],
    ['openai', 'llama-3'],
    ['anthropic', 'claude-opus-4-9'],
    ['gemini', 'gemini-2.5-flash-image-preview'],
    ['gemini', 'gemini-2.5-flash-preview-tts'],
    ['gemini', 'gemini-2.0-flash-preview-image-generation'],
    ['gemini', 'gemini-2.0-flash-exp-image-generation'],
    ['gemini', 'gpt-4o'],
    ['nobody', 'gpt-4o'],
  ])('%s/%s has no price, and so an unknown cost', (provider, model) => {
    expect(costOf(provider, model, SMALL)).toBeNull();
  });

  it('is that of the standard tier at another one, unless a table of one’s own names that', () => {
    const usage = { ...MILLION, service_tier: 'flex' };
    for (const model of ['gpt-5-mini', 'gpt-5-mini-2025-08-07']) {
      expect(costOf('openai', model, usage, { at })).toBeCloseTo(2.25, 10);
      const own: PriceTable = structuredClone(table);
      Object.assign(own.providers.openai?.models ?? {}, { 'gpt-5-mini@flex': { input: 0.125, output: 1 } });
      expect(costOf('openai', model, usage, { at, table: own })).toBeCloseTo(1.125, 10);
      const dearer = { ...MILLION, service_tier: 'priority' };
      expect(costOf('openai', model, dearer, { at, table: own })).toBeCloseTo(2.25, 10);
      expect(costOf('openai', model, MILLION, { at, table: own })).toBeCloseTo(2.25, 10);
    }
    const servers = { '127.0.0.1:8000': { '*': { input: 1, output: 1 } } };
    const baseUrl = 'http://127.0.0.1:8000/v1';
    expect(costOf('openai', 'x', usage, { baseUrl, table: { providers: {}, servers } })).toBe(2);
    expect(costOf('openai', 'gpt-5.9', usage)).toBeNull();
  });

  it('is unknown where the provider did not report usage', () => {
    expect(costOf('openai', 'gpt-4o', undefined)).toBeNull();
  });

  it.each(['scripted', 'replay', 'simulated'])('is nothing with provider %s', (provider) => {
    expect(costOf(provider, 'gpt-4o', MILLION)).toBe(0);
    expect(costOf(provider, 'anything', undefined)).toBe(0);
  });

  it('is unknown at another server, whatever the model is called', () => {
    const baseUrl = 'http://127.0.0.1:8000/v1';
    expect(costOf('openai', 'gpt-4o', SMALL, { baseUrl })).toBeNull();
    expect(costOf('openai', 'gpt-4o', SMALL, { baseUrl: 'https://api.openai.com/v1', at })).toBeCloseTo(
      0.0075,
      10,
    );
  });

  it('of another server is what the table says of its host', () => {
    const prices: PriceTable = {
      providers: {},
      servers: { '127.0.0.1:8000': { '*': { input: 0, output: 0 }, 'big-*': { input: 1, output: 2 } } },
    };
    const options = { baseUrl: 'http://127.0.0.1:8000/v1', table: prices };
    expect(costOf('openai', 'anything', SMALL, options)).toBe(0);
    expect(costOf('openai', 'big-model', MILLION, options)).toBe(3);
    expect(costOf('openai', 'big-model', MILLION, { ...options, baseUrl: 'http://127.0.0.1:9' })).toBeNull();
  });

  it.each([
    ['openai', 'gpt-6-sol', {}, 0.4],
    ['openai', 'gpt-6-sol', { cache_write_tokens: 100_000 }, 0.45],
    ['anthropic', 'claude-opus-5-5', {}, 0.8],
    ['anthropic', 'claude-opus-5-5', { cache_write_tokens: 100_000 }, 0.9],
    ['anthropic', 'claude-opus-5-5', { cache_write_tokens: 100_000, cache_write_1h_tokens: 50_000 }, 1.05],
    ['anthropic', 'claude-opus-5-5', { cache_write_tokens: 100_000, cache_write_1h_tokens: 100_000 }, 1.2],
  ])('of %s/%s has the surcharge of what is written to a cache: %j', (provider, model, written, expected) => {
    const usage = { input_tokens: 200_000, output_tokens: 0, ...written };
    expect(costOf(provider, model, usage, { at })).toBeCloseTo(expected, 10);
  });

  it('follows the higher price of a long prompt', () => {
    const long = { input_tokens: 200_001, output_tokens: 1000 };
    expect(costOf('gemini', 'gemini-2.5-pro', long)).toBeCloseTo((200_001 * 2.5 + 1000 * 15) / 1e6, 10);
    const short = { ...long, input_tokens: 200_000 };
    expect(costOf('gemini', 'gemini-2.5-pro', short)).toBeCloseTo((200_000 * 1.25 + 1000 * 10) / 1e6, 10);
  });

  it('follows an announced change of price from its day on', () => {
    const on = (day: string) =>
      costOf('gemini', 'gemini-4-argon', MILLION, { at: new Date(`${day}T00:00:00Z`) });
    expect(on('2026-11-30')).toBe(12);
    expect(on('2026-12-01')).toBe(24);
  });

  it('comes from a table in which every price is a positive number, and vectors have no output', () => {
    for (const { models } of Object.values((table as PriceTable).providers)) {
      for (const [name, price] of Object.entries(models)) {
        for (const rate of [
          price,
          ...(price.above ? [price.above] : []),
          ...Object.values(price.from ?? {}),
        ]) {
          expect(rate.input, name).toBeGreaterThan(0);
          if (name.includes('embedding')) expect(rate.output, name).toBe(0);
          else expect(rate.output, name).toBeGreaterThanOrEqual(rate.input);
        }
      }
    }
  });
});
