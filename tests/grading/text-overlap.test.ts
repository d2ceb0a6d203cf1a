import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizedAnswer, rouge, sentenceBleu, wordF1 } from '../../src/grading/text-overlap.js';

/** Figures of rouge-score 0.1.2 and sacrebleu 2.6.0, and F1 by the definition of SQuAD v1.1. */
const CASES = readFileSync('tests/grading/text-overlap-cases.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

describe('overlap of texts', () => {
  it.each(CASES)('is that of the reference implementations: $case', (row) => {
    const { case: _name, output, target, f1, bleu, ...ofRouge } = row;
    expect(wordF1(output, target)).toBeCloseTo(f1, 9);
    expect(sentenceBleu(output, [target])).toBeCloseTo(bleu, 6);
    for (const [name, value] of Object.entries(rouge(output, target)))
      expect(value, name).toBeCloseTo(ofRouge[name], 9);
  });

  it('is 0 for an empty answer, which no measure throws at', () => {
    expect(wordF1('', 'a cat')).toBe(0);
    expect(sentenceBleu('', ['a cat'])).toBe(0);
    expect(Object.values(rouge(' \n', 'cat'))).toEqual([0, 0, 0, 0]);
  });

  it('takes several references of one answer together in BLEU', () => {
    const answer = 'the cat is on the mat today';
    const both = sentenceBleu(answer, ['the cat is on a rug', 'it sat on the mat today']);
    expect(both).toBeGreaterThan(sentenceBleu(answer, ['the cat is on a rug']));
    expect(both).toBeGreaterThan(sentenceBleu(answer, ['it sat on the mat today']));
  });

  it('normalises as SQuAD does, and leaves words that only contain an article', () => {
    expect(normalizedAnswer('  The Theatre, a.k.a. “an” Étude!')).toBe('theatre aka étude');
  });

  it.each([
    ['北京。', '北京', 1],
    ['天気がいい', '天気はいい', 0.8],
    ['天氣非常好', '天氣很好', 2 / 3],
    ['上海', '北京', 0],
    ['Москва!', '«Москва»', 1],
    ['it’s', "it's", 1],
    ['“Oslo”', 'Oslo', 1],
    ['Oslo\u200b', 'Oslo', 1],
    ['São Paulo'.normalize('NFD'), 'São Paulo', 1],
    ['दिल्ली।', 'दिल्ली', 1],
    ['서울 시', '서울시', 0],
    ['5 €', '5 $', 2 / 3],
  ])('compares the words of any script in F1: %j, %j', (output, target, f1) => {
    expect(wordF1(output, target)).toBeCloseTo(f1, 12);
  });

  it('lies between 0 and 1, and is 1 for a text and itself', () => {
    const text = fc.array(fc.constantFrom('cat', 'sat', 'on', 'mat', 'x1', '\n', '.'), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [one, two] = [left.join(' '), right.join(' ')];
        const values = [wordF1(one, two), sentenceBleu(one, [two]), ...Object.values(rouge(one, two))];
        for (const value of values) expect(value >= 0 && value <= 1).toBe(true);
        expect(wordF1(one, one)).toBe(normalizedAnswer(one) === '' ? 0 : 1);
        expect(rouge(one, two).rouge_l).toBeCloseTo(rouge(two, one).rouge_l, 12);
      }),
    );
  });
});
