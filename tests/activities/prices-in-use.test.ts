import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { pricesInUse } from '../../src/activities/prices-in-use.js';
import { ownCodeAndPrices } from '../../src/kinds/run/own-code.js';
import { codeChangesAtEnd, noteCodeChange } from '../../src/user-code/code-file.js';
import { temporaryFolder } from '../datasets/collect.js';
import { configOf } from '../support/configs.js';
import { memoryStore } from './executor-support.js';

const lm = { provider: 'openai', model: 'house', base_url: 'http://127.0.0.1:8000/v1' };
const NOTED = { at: '2026-11-25T10:00:00.000Z', episodes: 3 };

let file: string;
const environment = () => ({ REPRISE_PRICES: file });

async function priced(input: number): Promise<void> {
  const servers = { '127.0.0.1:8000': { house: { input, output: 4 }, embedder: { input: 0.1, output: 0 } } };
  await writeFile(file, JSON.stringify({ servers }));
}

beforeEach(async () => {
  file = join(await temporaryFolder(), 'prices.json');
  await priced(1);
});

test('a model’s price is told by what it is called, an unknown one too; one that costs nothing has none', () => {
  const models = [lm, { ...lm, model: 'other' }, { provider: 'simulated', model: 'simulated' }];
  expect(pricesInUse(models, environment())).toEqual({
    'the price of openai/house': '{"input":1,"output":4}',
    'the price of openai/other': 'null',
  });
});

test('a price that changes between two executions is noted once, and another model’s is none of it', async () => {
  const { store } = memoryStore();
  const code = () => ownCodeAndPrices(configOf({ lm }), environment());
  const note = () => noteCodeChange(store, code(), NOTED);
  expect(await note()).toBeNull();
  expect(await note()).toBeNull();
  await priced(2);
  const change = { ...NOTED, modules: ['the price of openai/house'] };
  expect(await note()).toEqual(change);
  expect(await note()).toBeNull();
  expect(await codeChangesAtEnd(store, { code: code(), kept: undefined }, { episodes: 9 })).toEqual([change]);
});

test('the price of an embedding model belongs to it too', () => {
  const retrieval = { backend: 'embedding', model: 'openai/embedder', base_url: lm.base_url };
  const agent = { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' };
  const config = configOf({ lm, agent, memory: { retrieval } });
  expect(Object.keys(ownCodeAndPrices(config, environment()).values ?? {})).toEqual([
    'the price of openai/house',
    'the price of openai/embedder',
  ]);
});
