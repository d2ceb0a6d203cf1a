import { describe, expect, it } from 'vitest';
import { EmbeddingIndex } from '../../src/retrieval/embedding-index.js';
import type { LayeredRetrieval } from '../../src/retrieval/layered-retrieval.js';
import { LexicalIndex } from '../../src/retrieval/lexical-index.js';
import type { IndexedText } from '../../src/retrieval/retrieval-service.js';
import { createRandom } from '../../src/statistics/random.js';
import { embedWords } from '../support/fake-providers/embeddings.js';
import { answers, fillByDetours, idsOf, randomText, randomTexts } from './support.js';

let asked: string[] = [];

function embeddings(): EmbeddingIndex {
  asked = [];
  return new EmbeddingIndex(async (texts) => {
    asked.push(...texts);
    return texts.map((text) => Float32Array.from(embedWords(text, 48)));
  });
}

const KINDS: [string, () => LayeredRetrieval][] = [
  ['lexical', () => new LexicalIndex()],
  ['embedding', embeddings],
];

describe.each(KINDS)('layers over a %s index', (_kind, create) => {
  const texts = ['red fox', 'blue whale', 'red whale'].map((text, id) => ({ id, text }));

  it('answer as an index of all their texts would, whatever other layers hold', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const random = createRandom(seed);
      const shared = randomTexts(random, 80);
      const base = create();
      await base.buildIndex(shared);
      const lanes = await Promise.all(
        [0, 1, 2].map(async (lane) => {
          const layer = base.layer();
          // Lane 1 takes some of the shared ids for texts of its own, lane 2 forgets some of them.
          const own: IndexedText[] = randomTexts(random, 25, lane === 1 ? 70 : 80);
          await fillByDetours(layer, own, random);
          const forgotten = lane === 2 ? shared.filter(() => random() < 0.5).map(({ id }) => id) : [];
          layer.remove(forgotten);
          const held = new Map(shared.map(({ id, text }) => [id, text]));
          for (const id of forgotten) held.delete(id);
          for (const { id, text } of own) held.set(id, text);
          return { layer, held };
        }),
      );
      for (const { layer, held } of lanes) {
        const alone = create();
        await alone.buildIndex([...held].map(([id, text]) => ({ id, text })));
        expect(layer.size).toBe(held.size);
        expect(await answers(layer, seed)).toStrictEqual(await answers(alone, seed));
      }
      const untouched = create();
      await untouched.buildIndex(shared);
      expect(base.size).toBe(80);
      expect(await answers(base, seed)).toStrictEqual(await answers(untouched, seed));
    }
  });

  it('leave nothing behind when they are closed', async () => {
    const random = createRandom('closed');
    const base = create();
    await base.buildIndex(randomTexts(random, 40));
    const before = await answers(base, 1);
    const layer = base.layer();
    await layer.buildIndex([{ id: 500, text: 'quite singular' }, ...randomTexts(random, 40, 20)]);
    layer.close();
    expect(layer.size).toBe(40);
    expect(await answers(layer, 1)).toStrictEqual(before);
    expect(await answers(base, 1)).toStrictEqual(before);
  });

  it('hide what they forget, and may take its id again', async () => {
    const base = create();
    await base.buildIndex(texts);
    const layer = base.layer();
    layer.remove([0, 77]);
    expect(layer.size).toBe(2);
    expect(idsOf(await layer.queryTopK('red fox', 5))).not.toContain(0);
    expect(idsOf(await base.queryTopK('red fox', 1))).toEqual([0]);
    await layer.buildIndex([{ id: 0, text: 'green tree' }]);
    expect(layer.size).toBe(3);
    expect(idsOf(await layer.queryTopK('green tree', 1))).toEqual([0]);
    layer.remove([0]);
    expect(layer.size).toBe(2);
    expect(idsOf(await layer.queryTopK('green tree red fox', 5))).not.toContain(0);
  });

  it('follow their base', async () => {
    const base = create();
    const layer = base.layer();
    await layer.buildIndex([{ id: 9, text: 'red panda' }]);
    await base.buildIndex(texts);
    expect(layer.size).toBe(4);
    base.remove([2]);
    expect(layer.size).toBe(3);
    expect(idsOf(await layer.queryTopK('red fox', 9)).slice(0, 2)).toEqual([0, 9]);
  });

  it('may lie over each other', async () => {
    const base = create();
    await base.buildIndex(texts);
    const middle = base.layer();
    await middle.buildIndex([{ id: 3, text: 'red panda' }]);
    const top = middle.layer();
    await top.buildIndex([{ id: 4, text: 'red apple' }]);
    top.remove([0]);
    expect(top.size).toBe(4);
    expect(idsOf(await top.queryTopK('red fox', 9)).filter((id) => id !== 1)).toEqual([4, 3, 2]);
    expect(idsOf(await middle.queryTopK('red fox', 9)).filter((id) => id !== 1)).toEqual([0, 3, 2]);
  });
});

it('A layer of an embedding index may get its vectors on an account of its own', async () => {
  const base = embeddings();
  await base.buildIndex([{ id: 0, text: 'shared' }]);
  const own: string[] = [];
  const layer = base.layer(async (texts) => {
    own.push(...texts);
    return texts.map((text) => Float32Array.from(embedWords(text, 48)));
  });
  await layer.buildIndex([{ id: 1, text: 'mine' }]);
  await layer.queryTopK('question', 1);
  expect(asked).toEqual(['shared']);
  expect(own).toEqual(['mine', 'question']);
});

it('A layer of an embedding index asks for no vector that its base has', async () => {
  const random = createRandom('shared');
  const base = embeddings();
  const shared = Array.from({ length: 10 }, (_, id) => ({ id, text: randomText(random, 9) }));
  await base.buildIndex(shared);
  asked = [];
  const layer = base.layer();
  await layer.buildIndex([
    ...shared.map(({ id, text }) => ({ id: id + 100, text })),
    { id: 50, text: 'new' },
  ]);
  await layer.queryTopK(shared[3]?.text ?? '', 3);
  expect(asked).toEqual(['new']);
});
