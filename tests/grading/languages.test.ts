import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANSWER_WORDS } from '../../src/grading/extraction/answer-words.js';
import { gradeMultipleChoice } from '../../src/grading/multiple-choice.js';
import { gradeNumeric } from '../../src/grading/numeric.js';

/** A reply, and what it says: a letter, or none; the number, or one that it does not give. */
interface Row {
  language: string;
  output: string;
  letter?: string | null;
  number?: string;
  not?: string;
}

const CHOICES = ['granite', 'slate', 'basalt', 'marble'];

const rows = readFileSync(new URL('languages.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const languages = ANSWER_WORDS.map(({ language }) => language);

/** Replies of several languages, as models write them. */
const SEVERAL = 'Several';

describe.each([...languages, SEVERAL])('%s', (language) => {
  const own = rows.filter((row) => row.language === language);

  it.each(own.filter(({ letter }) => letter !== undefined))('$output names $letter', ({ output, letter }) => {
    const grade = gradeMultipleChoice(output, 'A', CHOICES);
    expect(grade.letter, grade.message).toBe(letter);
  });

  it.each(own.filter(({ number }) => number !== undefined))('$output is $number', async (row) => {
    const grade = await gradeNumeric(row.output, row.number ?? '');
    expect(grade.correct, grade.message).toBe(true);
  });

  it.each(own.filter(({ not }) => not !== undefined))('$output is not $not', async (row) => {
    const grade = await gradeNumeric(row.output, row.not ?? '');
    expect(grade.correct, grade.message).toBe(false);
  });
});

it('every language of the table has sentences with an answer and without one', () => {
  for (const language of languages) {
    const own = rows.filter((row) => row.language === language);
    expect(own.filter(({ letter }) => letter).length, language).toBeGreaterThanOrEqual(5);
    expect(own.filter(({ letter }) => letter === null).length, language).toBeGreaterThanOrEqual(5);
  }
  expect(new Set(rows.map((row) => row.language))).toEqual(new Set([...languages, SEVERAL]));
});

it('the page on grading names every language of the table', () => {
  const page = readFileSync(new URL('../../docs/grading.md', import.meta.url), 'utf8');
  expect(languages.filter((language) => !page.includes(language))).toEqual([]);
});
