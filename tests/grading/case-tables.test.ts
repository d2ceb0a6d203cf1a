import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareSymbolically } from '../../src/grading/compare-symbolically.js';
import { checkEquationFilling } from '../../src/grading/equation-filling.js';
import { gradeExact } from '../../src/grading/exact.js';
import { checkGame24 } from '../../src/grading/game24.js';
import type { Grade } from '../../src/grading/grade.js';
import { gradeMultipleChoice } from '../../src/grading/multiple-choice.js';
import { gradeNumeric } from '../../src/grading/numeric.js';

interface Case {
  output: string;
  target: string;
  choices: string[];
  puzzle: string;
  numbers: number[];
  correct: boolean;
}

const TABLES: Record<string, (row: Case) => Grade | Promise<Grade>> = {
  numeric: ({ output, target }) => gradeNumeric(output, target, { symbolic: compareSymbolically }),
  'multiple-choice': ({ output, target, choices }) => gradeMultipleChoice(output, target, choices),
  exact: ({ output, target }) => gradeExact(output, target),
  'equation-filling': ({ puzzle, output }) => checkEquationFilling(puzzle, output),
  game24: ({ numbers, output }) => checkGame24(numbers, output),
};

function readTable(name: string): Case[] {
  const text = readFileSync(new URL(`${name}-cases.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

describe.each(Object.keys(TABLES))('the %s table', (name) => {
  const rows = readTable(name);
  it.each(rows.map((row) => [JSON.stringify(row), row] as const))('%s', async (_, row) => {
    const grade = await TABLES[name]?.(row);
    expect(grade?.correct, grade?.message).toBe(row.correct);
    expect(grade?.message).toMatch(/^\S.*\.$/s);
  });
});

it('the tables hold more wrong answers than right ones', () => {
  const rows = Object.keys(TABLES).flatMap(readTable);
  const wrong = rows.filter((row) => !row.correct).length;
  expect(rows.length).toBeGreaterThan(600);
  expect(wrong).toBeGreaterThan(rows.length / 2);
});
