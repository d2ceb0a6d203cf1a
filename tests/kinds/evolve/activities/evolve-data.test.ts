import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  dataWarnings,
  type EvolveData,
  ExampleReader,
  holdsEvolveData,
  readEvolveData,
  writeEvolveData,
} from '../../../../src/kinds/evolve/activities/evolve-data.js';
import { evolveDomain } from '../../../../src/kinds/evolve/activities/evolve-domain.js';
import type { DatasetExample } from '../../../../src/kinds/evolve/evolution/types.js';
import type { EvolveConfig } from '../../../../src/kinds/evolve/schema.js';
import { openStore } from '../../../../src/storage/open.js';
import { keys, temporaryStore } from '../../../activities/support.js';
import { evolveConfigWith } from '../../../config/evolve-support.js';
import { folderWith } from '../../../support/configs.js';

async function read(config: EvolveConfig): Promise<EvolveData> {
  return readEvolveData(config, await evolveDomain(config, {}), openStore);
}

/** The examples of two files with these contents. */
function readFiles(
  files: { train: string; valid?: string; test?: string },
  sections: Record<string, unknown> = {},
): Promise<EvolveData> {
  const contents = { valid: files.train, ...files };
  const folder = folderWith(
    Object.fromEntries(Object.entries(contents).map(([name, text]) => [`${name}.jsonl`, text])),
  );
  const data = Object.fromEntries(Object.keys(contents).map((name) => [name, join(folder, `${name}.jsonl`)]));
  return read(evolveConfigWith({ data, ...sections }));
}

const GAME = '{"id":"a","input":"4 7 8 8"}\n';

describe('examples from files', () => {
  test('keep id and input, and leave every other field to the scorer', async () => {
    const data = await readFiles({
      train:
        '{"id": "a", "input": "4 7 8 8", "answer": "(7 - 8 / 8) * 4", "level": {"n": 1}}\n\n{"id": 7, "input": "1 2 3 4"}',
      test: '\ufeff{"id":"t","input":"3 3 8 8"}\r\n',
    });
    expect(data.train).toEqual([
      { id: 'a', input: '4 7 8 8', scoring_data: { answer: '(7 - 8 / 8) * 4', level: { n: 1 } } },
      { id: '7', input: '1 2 3 4', scoring_data: {} },
    ]);
    expect(data.valid).toEqual(data.train);
    expect(data.test).toEqual([{ id: 't', input: '3 3 8 8', scoring_data: {} }]);
  });

  test('are read where Python has written NaN, and with every digit of an id', async () => {
    const train = '{"id":12345678901234567890,"input":"4 7 8 8","level":NaN,"n":1.0,"of":[9007199254740993]}';
    expect((await readFiles({ train })).train).toEqual([
      {
        id: '12345678901234567890',
        input: '4 7 8 8',
        scoring_data: { level: null, n: 1, of: ['9007199254740993'] },
      },
    ]);
  });

  test.each<[string, string, string]>([
    ['no id', '{"input":"1 2 3 4"}', "row 1: 'id' is neither a text nor a whole number"],
    ['an empty id', '{"id":" ","input":"1 2 3 4"}', "row 1: 'id' is empty"],
    ['no input', '{"id":"x"}', "row 1: 'input' is not a text"],
    ['an input that is a list', `${GAME}{"id":"x","input":[1,2,3,4]}`, "row 2: 'input' is not a text"],
    ['a list', '[1]', 'row 1: is no JSON object with id and input'],
    ['an id twice', `${GAME}\n${GAME}`, 'row 3: has the id of row 1, "a"'],
    [
      'what its domain cannot score',
      '{"id":"x","input":"1 2 3"}',
      'row 1 (x): neither scoring_data.numbers nor the input has four',
    ],
    ['no JSON', `${GAME}{"id":`, 'line 2 of '],
    ['nothing', '\n', 'has no rows'],
  ])('with %s are refused: %s', async (_what, content, message) => {
    const error = await readFiles({ train: GAME, valid: content }).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field: 'data.valid' });
    const { message: said } = error as Error;
    expect(said).toMatch(/^data\.valid: /);
    expect(said).toContain('valid.jsonl');
    expect(said).toContain(message);
  });

  test('name the first few faulty rows, and how many there are', async () => {
    const rows = Array.from({ length: 8 }, (_, index) => `{"id":"r${index}","input":"no numbers"}\n`);
    const error = await readFiles({ train: GAME + rows.join('') }).catch((reason: Error) => reason);
    const lines = (error as Error).message.split('\n');
    expect(lines[0]).toMatch(/train\.jsonl has 8 faulty rows:$/);
    expect(lines.slice(1, 6).map((line) => line.trim().slice(0, 10))).toEqual([
      'row 2 (r0)',
      'row 3 (r1)',
      'row 4 (r2)',
      'row 5 (r3)',
      'row 6 (r4)',
    ]);
    expect(lines[6]?.trim()).toBe('and 3 more');
  });

  test('that are no UTF-8, or a folder, are refused', async () => {
    const folder = folderWith({ 'valid.jsonl': GAME });
    writeFileSync(join(folder, 'latin.jsonl'), Buffer.from([0x22, 0xe9, 0x22, 0x0a]));
    const valid = join(folder, 'valid.jsonl');
    const latin = read(evolveConfigWith({ data: { train: join(folder, 'latin.jsonl'), valid } }));
    await expect(latin).rejects.toThrow(/^data\.train: .*is not UTF-8/);
    await expect(read(evolveConfigWith({ data: { train: folder, valid } }))).rejects.toThrow(
      `data.train: there is no file at ${folder}`,
    );
  });

  test('of one training example are too few for feedback', async () => {
    const scaffolder = { feedback: {} };
    await expect(readFiles({ train: GAME }, { scaffolder })).rejects.toThrow(
      'scaffolder.feedback: there is one training example',
    );
    const two = `${GAME}{"id":"b","input":"1 2 3 4"}`;
    expect((await readFiles({ train: two }, { scaffolder })).train).toHaveLength(2);
  });
});

describe('examples from a generator', () => {
  const generate = (counts: Record<string, number>, domain: unknown = 'game24') =>
    read(evolveConfigWith({ domain, data: { generate: counts } }));

  test.each(['game24', 'crosswords', 'numeric', 'equation_balancer', 'circle_packing'])(
    'of %s are dealt out so that the parts have no id in common',
    async (domain) => {
      const { train, valid, test: tests } = await generate({ train: 6, valid: 4, test: 3 }, domain);
      expect([train.length, valid.length, tests.length]).toEqual([6, 4, 3]);
      expect(new Set([...train, ...valid, ...tests].map(({ id }) => id)).size).toBe(13);
    },
  );

  test('have no input in common, and another seed gives others', async () => {
    const { train, valid, test: tests } = await generate({ train: 30, valid: 50, test: 20 });
    expect(new Set([...train, ...valid, ...tests].map(({ input }) => input)).size).toBe(100);
    expect(await generate({ train: 30, valid: 50, test: 20 })).toEqual({ train, valid, test: tests });
    const other = await generate({ train: 30, valid: 50, test: 20, seed: 1 });
    expect(other.train).not.toEqual(train);
  });

  test.each<[unknown, Record<string, number>, string]>([
    ['mcq', {}, 'data.generate: the domain mcq makes no examples; give data.train and data.valid'],
    [
      'game24',
      { valid: 2000 },
      'data.generate: the generator of game24 did not give 2020 examples: there are 1362',
    ],
    ['crosswords', { valid: 1000 }, '1020 crosswords are more than 1000'],
  ])('of %j, %j, are refused: %s', async (domain, counts, message) => {
    await expect(generate(counts, domain)).rejects.toThrow(message);
  });

  const custom = (source: string) => {
    const folder = folderWith({ 'score.ts': `export const score = () => 1;\n${source}` });
    return generate({ train: 1, valid: 1 }, { name: 'custom', file: join(folder, 'score.ts') });
  };

  test('may be the user’s own', async () => {
    const data = await custom(
      'export const generate = (seed: number, count: number) => Array.from({ length: count }, (_, n) => ({ id: "g" + n, input: String(seed + n), scoring_data: { n } }));',
    );
    expect(data.valid).toEqual([{ id: 'g1', input: '1', scoring_data: { n: 1 } }]);
  });

  test.each<[string, string]>([
    ['', 'export a function generate(seed, count) from its file, or give data.train and data.valid'],
    ['export const generate = () => [];', 'it made 0, not 2'],
    [
      'export const generate = () => [1, 2].map(() => ({ id: "same", input: "", scoring_data: {} }));',
      'rows 1 and 2 have the same id "same"',
    ],
    [
      'export const generate = () => [1, 2].map((id) => ({ id, input: id, scoring_data: {} }));',
      "row 1: 'input' is not a text",
    ],
    ['export const generate = () => { throw new Error("out of ideas"); };', 'out of ideas'],
    [
      'export const findFault = () => { throw new Error("stumbled"); }; export const generate = () => [1, 2].map((id) => ({ id, input: "", scoring_data: {} }));',
      'row 1 (1): findFault failed: stumbled',
    ],
  ])('of the user’s own are checked: %s', async (source, message) => {
    const error = await custom(source).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field: 'data.generate' });
    expect((error as Error).message).toContain(message);
  });
});

describe('what is odd about the data', () => {
  const example = (id: string, input: string): DatasetExample => ({ id, input, scoring_data: {} });
  const config = evolveConfigWith({ evolution: { num_validation_examples: 2 } });
  const two = [example('a', 'one'), example('b', 'two')];

  test('is nothing where there are enough examples of their own', () => {
    const valid = [example('a', 'three'), example('b', 'four')];
    expect(dataWarnings({ train: two, valid, test: [] }, config)).toEqual([]);
  });

  test('is told: inputs that the scaffolder sees, and too few examples', () => {
    const valid = [example('x', 'two')];
    const test_ = [example('y', 'one'), example('z', 'new')];
    expect(dataWarnings({ train: two, valid, test: test_ }, config)).toEqual([
      'evolution.num_validation_examples is 2, but there are 1: every iteration uses all of them',
      '1 of 1 examples of data.valid have the same input as a training example, which the scaffolder sees',
      '1 of 2 examples of data.test have the same input as a training example, which the scaffolder sees',
    ]);
  });

  test('is nothing where the task has one input only', () => {
    const same = [example('a', '26'), example('b', '26')];
    expect(dataWarnings({ train: same, valid: same, test: same }, config)).toEqual([]);
  });
});

describe('an experiment’s own copy of its examples', () => {
  const data: EvolveData = {
    train: [{ id: 'a', input: 'line\n\u2028', scoring_data: { target: 'é', deep: [1, { b: null }] } }],
    valid: [
      { id: 'a', input: 'other', scoring_data: {} },
      { id: 'b', input: '', scoring_data: { id2: 1 } },
    ],
    test: [],
  };

  test('is read by type and id as it was written, and no file is there for nothing', async () => {
    const store = await temporaryStore();
    await writeEvolveData(store, data);
    await writeEvolveData(store, data);
    expect(await keys(store)).toEqual(['data/train.jsonl', 'data/valid.jsonl']);
    const reader = new ExampleReader(store);
    expect(await reader.get('train', 'a')).toEqual(data.train[0]);
    expect(await reader.get('valid', 'a')).toEqual(data.valid[0]);
    expect(await reader.get('valid', 'b')).toEqual(data.valid[1]);
    await expect(reader.get('valid', 'c')).rejects.toThrow(
      'data/valid.jsonl is damaged: it has no example "c"',
    );
    await expect(reader.get('test', 'a')).rejects.toThrow('data/test.jsonl is damaged');
  });

  test('a file that could not be read is tried again', async () => {
    const store = await temporaryStore();
    await store.write('data/train.jsonl', '{"id":');
    const reader = new ExampleReader(store);
    await expect(reader.get('train', 'a')).rejects.toThrow('is no JSON');
    await writeEvolveData(store, data);
    expect((await reader.get('train', 'a')).id).toBe('a');
  });

  test('is compared to the last byte', async () => {
    const store = await temporaryStore();
    await writeEvolveData(store, data);
    expect(await holdsEvolveData(store, data)).toBe(true);
    expect(await holdsEvolveData(store, { ...data, test: data.train })).toBe(false);
    expect(await holdsEvolveData(store, { ...data, valid: data.valid.slice(1) })).toBe(false);
    expect(await holdsEvolveData(await temporaryStore(), data)).toBe(false);
  });
});

describe('the domain of a config', () => {
  const domainOf = (domain: Record<string, unknown>) => evolveDomain(evolveConfigWith({ domain }), {});
  const fileWith = (source: string) => join(folderWith({ 'score.ts': source }), 'score.ts');

  test('is a built-in one, with its options', async () => {
    const lenient = await domainOf({ name: 'crosswords', options: { mode: 'lenient' } });
    const example = { id: 'x', input: '', scoring_data: { solution: 'C A\nT O' } };
    expect((await lenient.score('CA\nTO\n\nXX\nTO', example)).score).toBe(0.5);
  });

  test('is what the user’s TypeScript file exports', async () => {
    const file = fileWith(
      'export default (output: string, { scoring_data }: { scoring_data: { n: number } }): number => output.length / scoring_data.n;',
    );
    const domain = await domainOf({ name: 'custom', file });
    expect(await domain.score('abc', { id: 'x', input: '', scoring_data: { n: 6 } })).toMatchObject({
      score: 0.5,
    });
  });

  test.each<[Record<string, unknown>, string, string]>([
    [{ name: 'crosswords', options: { mode: 'loose' } }, 'domain.options', 'mode must be strict or lenient'],
    [
      { name: 'game24', options: { numbers: 4 } },
      'domain.options',
      'the domain game24 has no option numbers',
    ],
    [{ name: 'custom', file: () => 'export const x = 1;' }, 'domain.file', 'has to export a function score'],
    [
      { name: 'custom', file: () => 'export const score = 1;' },
      'domain.file',
      'has to export a function score',
    ],
    [
      { name: 'custom', file: () => 'export const score = () => 1; export const findFault = 3;' },
      'domain.file',
      'findFault of a custom domain is not a function',
    ],
    [{ name: 'custom', file: () => 'export const score = (' }, 'domain.file', 'cannot be loaded'],
  ])('%j is refused by its field %s: %s', async ({ file, ...domain }, field, message) => {
    const named = typeof file === 'function' ? { ...domain, file: fileWith(file()) } : domain;
    const error = await domainOf(named).catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'InvalidInputError', field });
    expect((error as Error).message).toContain(message);
  });
});
