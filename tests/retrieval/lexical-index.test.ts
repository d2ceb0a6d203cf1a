import { describe, expect, it } from 'vitest';
import { LexicalIndex } from '../../src/retrieval/lexical-index.js';
import { createRandom } from '../../src/statistics/random.js';
import { answers, fillByDetours, idsOf, randomText, randomTexts } from './support.js';

const EXPERIENCES = [
  'Find the number of positive integers below 1000 that are divisible by 7 but not by 11.',
  'A triangle has sides of length 13, 14 and 15. Find its area.',
  'How many ways are there to arrange the letters of MISSISSIPPI?',
  'Let $f(x) = \\frac{x^2 - 3x + 2}{x - 1}$. Evaluate the limit of $f$ as $x$ approaches 1.',
  'A fair die is rolled four times. What is the probability that each roll is at least as large as the one before?',
  'Solve the equation log base 2 of x plus log base 4 of x equals 9.',
  'A train leaves Chicago at 60 miles per hour; another leaves 2 hours later at 80 miles per hour. When do they meet?',
  'Find the remainder when 2^{2024} is divided by 7.',
  'The roots of the polynomial $x^3 - 6x^2 + 11x - 6$ are a, b and c. Find a^2 + b^2 + c^2.',
  'Sarah has $1,000 in a savings account at 5% interest. How much does she have after 3 years?',
  '已知三角形的三边长分别为5、12、13，求三角形的面积。',
  '一个袋子里有3个红球和2个白球，任取两个球，求两个都是红球的概率。',
  'Найдите площадь прямоугольного треугольника с катетами 6 и 8.',
  'Bestimme die Größe des Winkels zwischen den beiden Geraden.',
  '次の二次方程式を解きなさい。',
  '다음 함수의 최댓값을 구하시오.',
];

async function filled(texts: readonly string[] = EXPERIENCES): Promise<LexicalIndex> {
  const index = new LexicalIndex();
  await index.buildIndex(texts.map((text, id) => ({ id, text })));
  return index;
}

describe('a query of the lexical index', () => {
  it.each([
    ['What is the area of a triangle with sides 9, 10 and 17?', 1],
    ['In how many ways can the letters of BANANA be arranged?', 2],
    ['Evaluate the limit of \\frac{x^2-1}{x-1}', 3],
    ['Two dice are rolled. Find the probability that the second roll is larger.', 4],
    ['Solve log base 3 of x equals 5', 5],
    ['A train travels at 90 miles per hour', 6],
    ['the remainder when 3^{100} is divided by 7', 7],
    ['A polynomial has roots r and s', 8],
    ['How much interest does 1000 dollars earn in a savings account?', 9],
    ['求等腰三角形的面积', 10],
    ['袋子里有白球，求概率', 11],
    ['площадь треугольника', 12],
    ['die größe eines winkels', 13],
    ['二次方程式の解', 14],
    ['함수를 구하시오', 15],
    ['divisible by 11', 0],
  ])('%s: finds the one that is most like it', async (query, expected) => {
    const [best] = await (await filled()).queryTopK(query, 3);
    expect(best?.id, EXPERIENCES[best?.id ?? -1]).toBe(expected);
  });

  it('answers fewer than k, or nothing, where few share a word with it', async () => {
    const index = await filled();
    expect(idsOf(await index.queryTopK('mississippi', 5))).toEqual([2]);
    expect(await index.queryTopK('zebra', 5)).toEqual([]);
    expect(await index.queryTopK('Miss', 5), 'the beginning of a word is no word').toEqual([]);
    expect(await index.queryTopK('', 5)).toEqual([]);
    expect(await index.queryTopK(' +=! ', 5)).toEqual([]);
    expect(await new LexicalIndex().queryTopK('triangle', 5)).toEqual([]);
  });

  it('answers no more than k, the best first', async () => {
    const index = await filled();
    const all = await index.queryTopK('find the area of a triangle', 100);
    expect(all.length).toBeGreaterThan(5);
    for (const k of [0, 1, 2, 5]) {
      expect(await index.queryTopK('find the area of a triangle', k)).toEqual(all.slice(0, k));
    }
    const scores = all.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
  });

  it('answers only what is accepted, with the scores that all have together', async () => {
    const index = await filled();
    const all = await index.queryTopK('find the area of a triangle', 100);
    const odd = await index.queryTopK('find the area of a triangle', 2, (id) => id % 2 === 1);
    expect(odd).toEqual(all.filter(({ id }) => id % 2 === 1).slice(0, 2));
    expect(await index.queryTopK('triangle', 5, () => false)).toEqual([]);
  });

  it('puts the newer of two equal texts first', async () => {
    const index = await filled(['the same words', 'other words', 'the same words', 'the same words']);
    expect(idsOf(await index.queryTopK('same', 2))).toEqual([3, 2]);
  });

  it('takes a repeated word of the query as one', async () => {
    const index = await filled();
    expect(await index.queryTopK('area area area area triangle', 5)).toEqual(
      await index.queryTopK('area triangle', 5),
    );
  });

  it('scores as BM25+ says', async () => {
    const random = createRandom('reference');
    const texts = Array.from({ length: 60 }, () => randomText(random, 1 + Math.floor(random() * 30)));
    const index = await filled(texts);
    const words = texts.map((text) => text.split(' '));
    const lengths = words.map((list) => new Set(list).size);
    const mean = lengths.reduce((sum, length) => sum + length) / lengths.length;
    for (let question = 0; question < 30; question++) {
      const query = [...new Set(randomText(random, 5).split(' '))];
      const expected = texts.flatMap((_, id) => {
        let score = 0;
        for (const term of query) {
          const matching = words.filter((list) => list.includes(term)).length;
          const frequency = words[id]?.filter((word) => word === term).length ?? 0;
          if (frequency === 0) continue;
          const rarity = Math.log(1 + (texts.length - matching + 0.5) / (matching + 0.5));
          const length = (lengths[id] ?? 0) / mean;
          score += rarity * (0.5 + (frequency * 2.2) / (frequency + 1.2 * (0.3 + 0.7 * length)));
        }
        return score > 0 ? [{ id, score: expect.closeTo(score, 8) }] : [];
      });
      const found = await index.queryTopK(query.join(' '), 100);
      expect(found.sort((left, right) => left.id - right.id)).toEqual(expected);
    }
  });
});

describe('the texts of a lexical index', () => {
  it('go when they are removed, and absent ones are ignored', async () => {
    const index = await filled();
    index.remove([1, 777]);
    expect(index.size).toBe(EXPERIENCES.length - 1);
    expect(idsOf(await index.queryTopK('triangle area', 5))).not.toContain(1);
    index.remove([1]);
    expect(index.size).toBe(EXPERIENCES.length - 1);
  });

  it('are replaced by a later one with the same id', async () => {
    const index = await filled();
    await index.buildIndex([
      { id: 1, text: 'about zebras' },
      { id: 1, text: 'about giraffes' },
    ]);
    expect(index.size).toBe(EXPERIENCES.length);
    expect(await index.queryTopK('zebras', 5)).toEqual([]);
    expect(idsOf(await index.queryTopK('giraffes', 5))).toEqual([1]);
    expect(idsOf(await index.queryTopK('triangle sides', 5))).not.toContain(1);
  });

  it('may be empty, or without a word', async () => {
    const index = await filled(['', '...', 'word']);
    expect(index.size).toBe(3);
    expect(idsOf(await index.queryTopK('word', 5))).toEqual([2]);
    index.remove([0, 1]);
    expect(index.size).toBe(1);
  });

  it('may be removed while nothing else is left', async () => {
    const index = await filled(['alone here']);
    index.remove([0]);
    expect(await index.queryTopK('alone', 5)).toEqual([]);
    await index.buildIndex([{ id: 0, text: 'alone again' }]);
    expect(idsOf(await index.queryTopK('alone', 5))).toEqual([0]);
  });

  it('are what answers depend on, to the last digit, however they got there', async () => {
    for (let seed = 0; seed < 12; seed++) {
      const random = createRandom(seed);
      // Few texts stay of many: that is when running means go wrong.
      const texts = randomTexts(random, 2 + Math.floor(random() * 60));
      const fresh = new LexicalIndex();
      await fresh.buildIndex(texts);
      const detoured = new LexicalIndex();
      await fillByDetours(detoured, texts, random);
      expect(detoured.size).toBe(texts.length);
      expect(await answers(detoured, seed)).toStrictEqual(await answers(fresh, seed));
    }
  });

  it('may be 10,000', async () => {
    const random = createRandom('many');
    const texts = randomTexts(random, 10_000).map(({ id, text }) => ({
      id,
      text: `${text} ${100_000 + id}`,
    }));
    const index = new LexicalIndex();
    for (let at = 0; at < texts.length; at += 1000) await index.buildIndex(texts.slice(at, at + 1000));
    expect(index.size).toBe(10_000);
    for (const id of [0, 1, 4711, 9999]) {
      expect((await index.queryTopK(texts[id]?.text ?? '', 3))[0]?.id).toBe(id);
    }
    index.remove(texts.filter(({ id }) => id % 2 === 0).map(({ id }) => id));
    expect(index.size).toBe(5000);
    expect(await index.queryTopK('104710', 3)).toEqual([]);
    expect(idsOf(await index.queryTopK('104711', 3))).toEqual([4711]);
  });
});
