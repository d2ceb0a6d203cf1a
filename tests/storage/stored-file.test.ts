import { describe, expect, test } from 'vitest';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { readStoredConfig, writeStoredConfig } from '../../src/storage/stored-config.js';
import { readJson, readRows, readRowsAtOnce } from '../../src/storage/stored-file.js';
import { configOf } from '../support/configs.js';
import { MemoryStore } from '../support/memory-store.js';

const folder = (files: Record<string, string | Buffer> = {}) =>
  new MemoryStore(new Map(Object.entries(files).map(([key, body]) => [key, Buffer.from(body as string)])));

const collect = async <Row>(rows: AsyncIterable<Row>) => {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
};

const text = JSON.stringify({ record: { text: 'a secret' } });

describe('a file of an experiment’s folder', () => {
  test('is what was written', async () => {
    const store = folder({ 'pending/ab.json': text, 'dataset/0.jsonl': '{"a":1}\n{"a":2}\n' });
    expect(await readJson(store, 'pending/ab.json')).toEqual(JSON.parse(text));
    expect(await readJson(store, 'pending/none.json')).toBeNull();
    expect(await collect(readRows(store, 'dataset/0.jsonl'))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test.each(['', text.slice(0, 1), text.slice(0, -1), `${text}x`])(
    'that holds %j is named at once, with the way out and without a word of it',
    async (damaged) => {
      const store = folder({ 'pending/ab.json': damaged });
      const failure = readJson(store, 'pending/ab.json');
      await expect(failure).rejects.toMatchObject({
        name: 'StorageError',
        mayPass: false,
        key: 'pending/ab.json',
      });
      await expect(failure).rejects.toThrow(
        /\/pending\/ab\.json is damaged: .*Put the file back, or remove it/,
      );
      await expect(failure).rejects.not.toThrow(/secret/);
    },
  );

  test.each<[string, (store: ArtifactStore, key: string) => Promise<unknown>]>([
    ['one by one', (store, key) => collect(readRows(store, key))],
    ['at once', readRowsAtOnce],
  ])('of rows read %s is named with the line that is damaged, and where it is gone', async (_, rowsOf) => {
    const noText = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    const store = folder({ 'dataset/0.jsonl': '{"a":1}\n{"a":', 'dataset/2.jsonl': noText });
    for (const [file, line] of [
      [0, 2],
      [2, 1],
    ])
      await expect(rowsOf(store, `dataset/${file}.jsonl`)).rejects.toThrow(
        `dataset/${file}.jsonl is damaged: line ${line} is not as it was written`,
      );
    await expect(rowsOf(store, 'dataset/1.jsonl')).rejects.toThrow(
      "dataset/1.jsonl is missing: the experiment's folder was changed",
    );
    await store.write('dataset/3.jsonl', '{"a":1}\n{"a":"é"}\n');
    expect(await rowsOf(store, 'dataset/3.jsonl')).toEqual([{ a: 1 }, { a: 'é' }]);
  });
});

describe('the config of an experiment’s folder', () => {
  test('is read as it was written, and as earlier versions wrote it', async () => {
    const store = folder();
    const config = configOf();
    expect(await readStoredConfig(store)).toBeNull();
    await writeStoredConfig(store, config);
    expect(await readStoredConfig(store)).toEqual(config);
    const whole = (await store.readText('config.yaml')) as string;
    await store.write('config.yaml', whole.slice('---\n'.length, -'...\n'.length));
    expect(await readStoredConfig(store)).toEqual(config);
  });

  test('that was cut off is no other config, wherever that was', async () => {
    const store = folder();
    await writeStoredConfig(store, configOf());
    const whole = (await store.readText('config.yaml')) as string;
    for (let length = 0; length < whole.length; length += 1) {
      await store.write('config.yaml', whole.slice(0, length));
      await expect(readStoredConfig(store)).rejects.toThrow(
        /config\.yaml is damaged: .*move the folder away to begin anew$/,
      );
    }
  });
});
