import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareSymbolically } from '../../src/grading/compare-symbolically.js';
import { checkEquationFilling } from '../../src/grading/equation-filling.js';
import { gradeExact } from '../../src/grading/exact.js';
import { checkGame24 } from '../../src/grading/game24.js';
import { gradeMultipleChoice } from '../../src/grading/multiple-choice.js';
import { gradeNumeric } from '../../src/grading/numeric.js';

const symbolic = compareSymbolically;

const table = readFileSync(new URL('numeric-cases.jsonl', import.meta.url), 'utf8');
const targets = [
  ...new Set(
    table
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).target as string),
  ),
].filter((target) => target !== '' && target !== '...' && !/\\frac\{5$/.test(target));

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

describe('every mathematical target', () => {
  it.each(targets)('%s is correct against itself, however it is presented', async (target) => {
    const replies = [
      target,
      `$${target}$`,
      `So we get \\boxed{${target}}.`,
      `**Answer:** $${target}$`,
      `The answer is $${target}$.`,
      `<answer>\n${target}\n</answer>`,
      `Thus\n\\[ ${target} \\]`,
    ];
    for (const reply of replies) {
      const grade = await gradeNumeric(reply, target, { symbolic });
      expect(grade.correct, `${reply}: ${grade.message}`).toBe(true);
    }
  });

  it.each(targets.filter((target) => /^[^=<>\\a-z]*\d[^=<>a-z]*$/i.test(target)))(
    '%s is incorrect against itself with a digit changed',
    async (target) => {
      const last = target.search(/\d(?!.*\d)/s);
      const changed = target.slice(0, last) + ((Number(target[last]) + 3) % 10) + target.slice(last + 1);
      expect((await gradeNumeric(changed, target, { symbolic })).correct).toBe(false);
      expect((await gradeNumeric(target, changed, { symbolic })).correct).toBe(false);
    },
  );
});

describe('numbers', () => {
  it('are equal to themselves in every spelling, and to no neighbour', async () => {
    const random = generator(7);
    for (let round = 0; round < 300; round++) {
      const size = 10 ** Math.floor(random() * 15);
      const number = Math.floor((random() - 0.5) * size);
      const spellings = [
        String(number),
        number.toLocaleString('en-US'),
        `${number}.0`,
        `\\boxed{${number}}`,
        `${number * 3}/3`,
      ];
      for (const spelling of spellings) {
        expect((await gradeNumeric(spelling, String(number))).correct, `${spelling} is ${number}`).toBe(true);
        expect(
          (await gradeNumeric(spelling, String(number + 1))).correct,
          `${spelling} is not ${number + 1}`,
        ).toBe(false);
      }
    }
  });

  it('compare the same in both directions', async () => {
    const random = generator(11);
    for (let round = 0; round < 400; round++) {
      const left = targets[Math.floor(random() * targets.length)] as string;
      const right = targets[Math.floor(random() * targets.length)] as string;
      expect(await symbolic(left, right), `${left} and ${right}`).toBe(await symbolic(right, left));
    }
  });
});

describe('garbage', () => {
  const PIECES =
    '\\boxed{|}|{|$|$$|\\[|\\]|\\(|\\)|<answer>|</answer>|Answer:|the answer is |FINAL ANSWER|#### |**|__|`|```|\n|\n\n| |1|2|37|.|,|;|:|/|+|-|*|^|_|=|<|>|(|)|[|]|!|?|%|\\frac|\\sqrt|\\pm|\\le|\\cup|\\infty|\\begin{pmatrix}|\\end{pmatrix}|&|\\\\|\\text{|x|y|A|B|(C)|and|or|not|°|½|√|∞|😀|\u0000|\u200b|é|sin|log|e|i|9^9^9'.split(
      '|',
    );

  it('never makes a grader throw, and is never equal to a fixed target by accident', {
    timeout: 60_000,
  }, async () => {
    const random = generator(2024);
    for (let round = 0; round < 1_500; round++) {
      const length = 1 + Math.floor(random() * 25);
      let text = '';
      for (let piece = 0; piece < length; piece++)
        text += PIECES[Math.floor(random() * PIECES.length)] ?? '|';
      const grade = await gradeNumeric(text, '\\frac{8191}{127}+\\sqrt{11}', { symbolic });
      expect(grade.correct, text).toBe(false);
      await gradeNumeric('\\boxed{5}', text, { symbolic });
      const choice = gradeMultipleChoice(text, text, ['p', text, 'q']);
      expect(choice.letter === null || 'ABC'.includes(choice.letter), text).toBe(true);
      gradeExact(text, text);
      expect(checkEquationFilling('31 ? 17 ? 5 = 9', text).correct, text).toBe(false);
      checkEquationFilling(text, text);
      expect(checkGame24([11, 7, 5, 5], text).correct, text).toBe(false);
    }
  });
});
