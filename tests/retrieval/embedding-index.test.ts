import { describe, expect, it } from 'vitest';
import { EmbeddingIndex } from '../../src/retrieval/embedding-index.js';
import { VectorError } from '../../src/retrieval/vectors.js';
import { createRandom } from '../../src/statistics/random.js';
import { embedWords } from '../support/fake-providers/embeddings.js';
import { answers, fillByDetours, idsOf, randomText, randomTexts } from './support.js';

/** An embedder that records what it was asked. */
function recorder(vectorOf: (text: string) => readonly number[] = (text) => embedWords(text, 48)) {
  const asked: string[][] = [];
  const embed = async (texts: readonly string[]) => {
    asked.push([...texts]);
    return texts.map((text) => Float32Array.from(vectorOf(text)));
  };
  return { asked, embed };
}

/** Cosine as the textbook has it. */
function cosine(left: readonly number[], right: readonly number[]): number {
  const product = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
  return product(left, right) / Math.sqrt(product(left, left) * product(right, right));
}

describe('a query of the embedding index', () => {
  it('answers what a naive comparison of all vectors answers', async () => {
    const random = createRandom('cosine');
    // Every remainder of four texts and of the vectors' length.
    for (const [count, dimensions] of [
      [1, 3],
      [2, 16],
      [3, 5],
      [4, 1],
      [5, 33],
      [203, 64],
    ] as const) {
      const vectors = new Map<string, number[]>();
      const vectorOf = (text: string) => {
        const known =
          vectors.get(text) ?? Array.from({ length: dimensions }, () => Math.fround(random() - 0.5));
        vectors.set(text, known);
        return known;
      };
      const index = new EmbeddingIndex(recorder(vectorOf).embed);
      await index.buildIndex(Array.from({ length: count }, (_, id) => ({ id, text: `text ${id}` })));
      const found = await index.queryTopK('query', count);
      const expected = Array.from({ length: count }, (_, id) => ({
        id,
        cosine: cosine(vectorOf('query'), vectorOf(`text ${id}`)),
      })).sort((left, right) => right.cosine - left.cosine);
      expect(idsOf(found).length).toBe(count);
      for (const [place, { score }] of found.entries())
        expect(score).toBeCloseTo(expected[place]?.cosine ?? 2, 6);
      if (dimensions > 1) expect(idsOf(found)).toEqual(expected.map(({ id }) => id));
    }
  });

  it('sees the direction of a vector, not its length', async () => {
    const vectors: Record<string, number[]> = { query: [2, 0], long: [30, 40], short: [0.03, 0.01] };
    const index = new EmbeddingIndex(recorder((text) => vectors[text] ?? []).embed);
    await index.buildIndex([
      { id: 0, text: 'long' },
      { id: 1, text: 'short' },
    ]);
    const [best, second] = await index.queryTopK('query', 2);
    expect(best).toEqual({ id: 1, score: expect.closeTo(3 / Math.sqrt(10), 6) });
    expect(second).toEqual({ id: 0, score: expect.closeTo(0.6, 6) });
  });

  it('answers up to k of what is accepted, opposites last', async () => {
    const vectors: Record<string, number[]> = {
      query: [1, 0],
      same: [1, 0],
      near: [1, 1],
      opposite: [-1, 0],
    };
    const index = new EmbeddingIndex(recorder((text) => vectors[text] ?? []).embed);
    await index.buildIndex(['opposite', 'near', 'same', 'near'].map((text, id) => ({ id, text })));
    expect(idsOf(await index.queryTopK('query', 9))).toEqual([2, 3, 1, 0]);
    expect(idsOf(await index.queryTopK('query', 2))).toEqual([2, 3]);
    expect(idsOf(await index.queryTopK('query', 2, (id) => id < 2))).toEqual([1, 0]);
    expect((await index.queryTopK('query', 9)).at(-1)?.score).toBe(-1);
  });

  it('asks for no vector where it can answer without one', async () => {
    const { asked, embed } = recorder();
    const index = new EmbeddingIndex(embed);
    expect(await index.queryTopK('a question', 3)).toEqual([]);
    await index.buildIndex([{ id: 0, text: 'known words' }]);
    asked.length = 0;
    expect(await index.queryTopK('', 3)).toEqual([]);
    expect(await index.queryTopK(' \n', 3)).toEqual([]);
    expect(await index.queryTopK('a question', 0)).toEqual([]);
    expect(idsOf(await index.queryTopK('known words', 3)), 'a text of the index has its vector').toEqual([0]);
    expect(asked).toEqual([]);
  });
});

describe('the texts of an embedding index', () => {
  it('are asked for once, all new ones of a call together', async () => {
    const { asked, embed } = recorder();
    const index = new EmbeddingIndex(embed);
    await index.buildIndex(['a', 'b', 'a', '', ' '].map((text, id) => ({ id, text })));
    await index.buildIndex([
      { id: 5, text: 'b' },
      { id: 6, text: 'c' },
      { id: 0, text: 'a' },
    ]);
    expect(asked).toEqual([['a', 'b'], ['c']]);
    expect(index.size).toBe(7);
    expect(idsOf(await index.queryTopK('b', 2))).toEqual([5, 1]);
  });

  it('are never answered when they are blank or their vector is zero', async () => {
    const index = new EmbeddingIndex(recorder((text) => (text === 'zero' ? [0, 0] : [1, 0])).embed);
    await index.buildIndex(['zero', '', 'real'].map((text, id) => ({ id, text })));
    expect(idsOf(await index.queryTopK('question', 5))).toEqual([2]);
    expect(await index.queryTopK('zero', 5)).toEqual([]);
    expect(index.size).toBe(3);
  });

  it('are replaced and removed', async () => {
    const index = new EmbeddingIndex(recorder().embed);
    await index.buildIndex(['red fox', 'blue whale', 'red fox'].map((text, id) => ({ id, text })));
    await index.buildIndex([{ id: 0, text: 'green tree' }]);
    index.remove([1, 99]);
    expect(index.size).toBe(2);
    expect(idsOf(await index.queryTopK('red fox', 1))).toEqual([2]);
    expect(idsOf(await index.queryTopK('green', 1))).toEqual([0]);
    expect(idsOf(await index.queryTopK('blue whale', 5)).sort()).toEqual([0, 2]);
  });

  it('are what answers depend on, however they got there', async () => {
    for (let seed = 0; seed < 6; seed++) {
      const random = createRandom(seed);
      const texts = randomTexts(random, 2 + Math.floor(random() * 60));
      const fresh = new EmbeddingIndex(recorder().embed);
      await fresh.buildIndex(texts);
      const detoured = new EmbeddingIndex(recorder().embed);
      await fillByDetours(detoured, texts, random);
      expect(detoured.size).toBe(texts.length);
      expect(await answers(detoured, seed)).toStrictEqual(await answers(fresh, seed));
    }
  });

  it('are as the last call says, even when the vectors of an earlier one come later', async () => {
    const held: (() => void)[] = [];
    const index = new EmbeddingIndex(async (texts) => {
      if (texts.includes('slow')) await new Promise<void>((resolve) => held.push(resolve));
      return texts.map((text) => Float32Array.from(embedWords(text, 48)));
    });
    const slow = index.buildIndex([0, 1, 2].map((id) => ({ id, text: 'slow' })));
    await index.buildIndex([{ id: 0, text: 'fast' }]);
    index.remove([1]);
    held[0]?.();
    await slow;
    expect(index.size).toBe(2);
    expect(idsOf(await index.queryTopK('fast', 1))).toEqual([0]);
    expect(idsOf(await index.queryTopK('slow', 1))).toEqual([2]);
  });

  it('stay as they are when the vectors cannot be had', async () => {
    let broken = false;
    const index = new EmbeddingIndex(async (texts) => {
      if (broken) throw new Error('no network');
      return texts.map((text) => Float32Array.from(embedWords(text, 48)));
    });
    await index.buildIndex([{ id: 0, text: 'first' }]);
    broken = true;
    await expect(index.buildIndex([0, 1].map((id) => ({ id, text: 'second' })))).rejects.toThrow(
      'no network',
    );
    expect(index.size).toBe(1);
    expect(idsOf(await index.queryTopK('first', 5))).toEqual([0]);
    await expect(index.queryTopK('question', 5)).rejects.toThrow('no network');
  });

  it.each([
    [
      'another length',
      [1, 2, 3],
      'a vector of 3 numbers does not fit among vectors of 2: was it made by another model?',
    ],
    ['no length', [], 'a vector of 0 numbers does not fit'],
    ['something that is no number', [1, Number.NaN], 'no finite number'],
    ['something infinite', [1, Number.POSITIVE_INFINITY], 'no finite number'],
  ])('refuse a vector with %s, and none of its call is added', async (_name, vector, message) => {
    const index = new EmbeddingIndex(recorder((text) => (text === 'odd' ? vector : [1, 2])).embed);
    await index.buildIndex([{ id: 0, text: 'good' }]);
    const added = index.buildIndex(['fine', 'odd'].map((text, id) => ({ id: id + 1, text })));
    await expect(added).rejects.toThrow(VectorError);
    await expect(index.queryTopK('odd', 1)).rejects.toThrow(message);
    expect(index.size).toBe(1);
  });

  it('refuse vectors of two lengths in one call, and too few of them', async () => {
    const index = new EmbeddingIndex(recorder((text) => Array.from(text, () => 1)).embed);
    await expect(index.buildIndex(['ab', 'abc'].map((text, id) => ({ id, text })))).rejects.toThrow(
      'a vector of 3',
    );
    expect(index.size).toBe(0);
    const short = new EmbeddingIndex(async () => []);
    await expect(short.buildIndex([{ id: 0, text: 'a' }])).rejects.toThrow('1 texts were given 0 vectors');
  });

  it('may be 10,000', async () => {
    const random = createRandom('many');
    const texts = Array.from({ length: 10_000 }, (_, id) => ({ id, text: `${randomText(random, 8)} ${id}` }));
    const seeded = (text: string) => {
      const draw = createRandom(text);
      return Array.from({ length: 32 }, () => draw() - 0.5);
    };
    const index = new EmbeddingIndex(recorder(seeded).embed);
    await index.buildIndex(texts);
    for (const id of [0, 4711, 9999]) {
      const [best] = await index.queryTopK(texts[id]?.text ?? '', 2);
      expect(best).toEqual({ id, score: 1 });
    }
    index.remove(texts.slice(0, 5000).map(({ id }) => id));
    expect(index.size).toBe(5000);
    expect(idsOf(await index.queryTopK(texts[4711]?.text ?? '', 10_000)).length).toBe(5000);
  });
});
