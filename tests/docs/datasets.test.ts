import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resolveConfig, runInProcess } from '../../src/in-process/index.js';
import { FakeModel } from '../in-process/support.js';
import { FORMATS, type FormatRow } from './dataset-rows.js';

/** Sections about what holds for every dataset. */
const TOPICS = ['Which rows', 'Conversations', 'Images', 'Examples in the prompt'];

/** The YAML of each section of docs/datasets.md that has one, by its heading. */
const EVERY_SECTION = new Map(
  readFileSync('docs/datasets.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const yaml = /```yaml\n([\s\S]*?)```/.exec(section)?.[1];
      return yaml === undefined ? [] : [[section.slice(0, section.indexOf('\n')).trim(), yaml] as const];
    }),
);
const SECTIONS = new Map([...EVERY_SECTION].filter(([name]) => !TOPICS.includes(name)));

/** The section's config with rows in the place of the dataset on the hub. */
function configOf(yaml: string, rows: readonly FormatRow[]) {
  const {
    hf_name: _name,
    config: _config,
    split: _split,
    dataset_path: _path,
    ...dataset
  } = parse(yaml).dataset;
  const raw = {
    dataset: { ...dataset, items: rows.map(({ row }) => row) },
    lm: { model: 'openai/fake', base_url: 'http://127.0.0.1:9/v1' },
  };
  return resolveConfig(raw, { source: 'docs/datasets.md', folder: process.cwd(), fallbackName: 'page' });
}

/** The letters that a prompt offers, by the texts behind them. */
function offered(prompt: string): Map<string, string> {
  const lines = [...prompt.matchAll(/\(([A-Z])\) ?(.*?)(?= \([A-Z]\)|$)/gm)];
  return new Map(lines.map(([, letter, text]) => [text as string, letter as string]));
}

/** A model that knows the right answer of each sample in words, and finds its letter in the prompt where there are letters. */
function knowing(rows: readonly FormatRow[], isRight: boolean): FakeModel {
  return new FakeModel(({ call, messages }) => {
    const { right } = rows[Number(call.sample_id)] as FormatRow;
    const letters = offered(messages.map(({ content }) => content).join('\n'));
    const letter = letters.get(right);
    if (letters.size === 0) return `So it is.\nAnswer: ${isRight ? right : '-7'}`;
    expect(letter, `a letter of ${right}`).toBeDefined();
    const wrong = [...letters.values()].find((other) => other !== letter);
    return `Let me see. So the answer is (${isRight ? letter : wrong}).`;
  });
}

test('the page has a config for each format, and each format has its rows', () => {
  expect([...SECTIONS.keys()]).toEqual(Object.keys(FORMATS));
  expect(SECTIONS.size).toBeGreaterThan(20);
});

test.each(TOPICS)('the config of %s is one', (name) => {
  const yaml = EVERY_SECTION.get(name) ?? '';
  const raw = { ...parse(yaml), lm: { model: 'simulated/x' } };
  const source = { source: 'docs/datasets.md', folder: process.cwd(), fallbackName: 'page' };
  expect(resolveConfig(raw, source)).toMatchObject(parse(yaml));
});

describe.each([...SECTIONS])('%s', (name, yaml) => {
  const rows = FORMATS[name] ?? [];

  test('takes at most six lines', () => {
    expect(yaml.trim().split('\n').slice(1).length).toBeLessThanOrEqual(6);
  });

  test.each([
    [true, 1],
    [false, 0],
  ])('a model of which it is %s that it is right everywhere has %d', async (isRight, accuracy) => {
    const said: string[] = [];
    const { metrics } = await runInProcess(configOf(yaml, rows), {
      languageModel: knowing(rows, isRight),
      notify: (message) => void said.push(message),
    });
    expect(metrics).toMatchObject({ samples: rows.length, errors: 0, accuracy });
    expect(said).toEqual([]);
  });
});
