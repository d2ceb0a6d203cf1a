import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import {
  answerIn,
  type Grid,
  readSolution,
  slotsOf,
} from '../../../../../src/kinds/evolve/evolution/domains/crosswords/grid.js';
import {
  type CrosswordMode,
  crosswordsDomain,
} from '../../../../../src/kinds/evolve/evolution/domains/crosswords.js';
import { scoreOutput } from '../../../../../src/kinds/evolve/evolution/domains/domain.js';
import type { DatasetExample } from '../../../../../src/kinds/evolve/evolution/types.js';
import { createRandom } from '../../../../../src/statistics/random.js';
import { below, example, pick } from '../support.js';

// 9 squares: CAT, OWE, T.D / COT, AW., TED, with a black square in the last row.
const GRID = 'C A T\nO W E\nT . D';
const ACROSS = 'Across:\n  1. CAT\n  4. OWE';
const DOWN = 'Down:\n  1. COT\n  2. AW\n  3. TED';
const PUZZLE = example('p', '- - -\n- - -\n- . -', { solution: `${GRID}\n\n${ACROSS}\n\n${DOWN}` });

async function score(
  output: string,
  mode: CrosswordMode = 'strict',
  puzzle: DatasetExample = PUZZLE,
): Promise<number> {
  const domain = crosswordsDomain(mode);
  expect(domain.findFault(puzzle)).toBeNull();
  return (await scoreOutput(domain, output, puzzle)).score;
}

/** Squares out of the eight that are to be filled. */
const rights = async (output: string, mode: CrosswordMode = 'strict') => (await score(output, mode)) * 8;

describe.each(['strict', 'lenient'] as const)('%s', (mode) => {
  test.each([
    ['the solution itself', String(PUZZLE.scoring_data.solution)],
    ['a grid', GRID],
    ['a grid in small letters', GRID.toLowerCase()],
    ['a grid without spaces', 'CAT\nOWE\nT.D'],
    ['a grid with # for black', 'C A T\nO W E\nT # D'],
    ['a grid in a fence, with a title', `The grid:\n\`\`\`\n${GRID}\n\`\`\`\nDone.`],
    ['a grid in a table', '| C | A | T |\n|---|---|---|\n| O | W | E |\n| T | . | D |'],
    ['a grid in a drawn table', '+-+-+-+\n|C|A|T|\n+-+-+-+\n|O|W|E|\n+-+-+-+\n|T|#|D|\n+-+-+-+'],
    ['a grid with Windows line ends', GRID.replaceAll('\n', '\r\n')],
    ['both lists', `${ACROSS}\n\n${DOWN}`],
    ['the down list, which has every square but none twice', DOWN],
    ['lists in Markdown', '## Across\n\n1. **CAT**\n4. OWE\n\n**DOWN**\n- 1) cot\n- 2: aw\n- 3 TED'],
    ['lists with empty lines', 'Across:\n\n1. CAT\n\n4. OWE\n\nDown:\n\n1. COT\n\n3. TED'],
    ['entries with their lengths, and punctuation', 'Down:\n1D. C-O-T (3)\n2 A W [2]\n3d "Ted."'],
    ['a list, and a grid after it', `${DOWN}\n${GRID}`],
    ['a grid between a title and a last word', `Grid\n${GRID}\nDone`],
    ['a grid without spaces between them', 'Grid\nCAT\nOWE\nT.D\nDone.'],
    ['a grid beside words as wide as it is', `Yes\n${GRID}\nEnd`],
    ['a grid between rules', '-----\nC A T\nO W E\nT . D\n-----'],
    ['a grid without spaces between rules', '---\nCAT\nOWE\nT.D\n---'],
    ['a grid with rules between its rows', 'CAT\n---\nOWE\n---\nT.D'],
    ['a title, a rule and a grid', `Solution\n-----\n${GRID}`],
    ['words around it', `Let me see.\nI think that this is right:\n\n${GRID}\n\nYes.`],
  ])('takes %s', async (_, output) => {
    expect(await score(output, mode)).toBe(1);
  });

  test.each([
    ['nothing', '', 0],
    ['words', 'I do not know.\nSorry.', 0],
    ['one row', 'CAT', 0],
    ['headings without entries', 'Across:\nDown:', 0],
    ['an entry without a list', '1. CAT', 0],
    ['entries of no such number', 'Across:\n2. CAT\n99. CAT', 0],
    ['a wrong square', 'C A T\nO X E\nT . D', 7],
    ['empty squares', 'C - T\n_ W ?\nT . D', 5],
    ['black in place of a letter', 'C A .\nO W E\nT . D', 7],
    ['a letter in place of black', 'C A T\nO W E\nT X D', 8],
    ['one entry', 'Across:\n1. CAT', 3],
    ['an entry with empty squares', 'Across:\n1. C_T', 2],
    ['an entry with a hyphen for an empty square', 'Across:\n1. C-T', 2],
    ['nothing but empty squares', '- - -\n- - -\n- . -', 0],
    ['a last row that is empty', 'CAT\nOWE\n---', 6],
  ])('counts the squares of %s', async (_, output, expected) => {
    expect(await rights(output, mode)).toBe(expected);
  });

  test('never fails on garbage, and stays between 0 and 1', async () => {
    const PIECES = [
      'A',
      'C A T',
      '\n',
      '\n\n',
      'Across:',
      'Down:',
      '1. ',
      '1. CAT',
      '|',
      '-',
      '.',
      '#',
      ' ',
      '99.',
      '\r',
      '\0',
      '😀',
      'é',
      '0',
    ];
    const random = createRandom(`garbage ${mode}`);
    for (let round = 0; round < 3_000; round += 1) {
      const output = Array.from({ length: below(30, random) }, () => pick(PIECES, random)).join('');
      const value = await score(output, mode);
      expect(value >= 0 && value <= 1, output).toBe(true);
    }
  });
});

describe('strict and lenient differ', () => {
  const WRONG_DOWN = 'Down:\n1. COT\n2. AX\n3. TAD';

  test('where pieces do not agree', async () => {
    expect(await rights(`${GRID}\n\n${WRONG_DOWN}`)).toBe(6);
    expect(await rights(`${GRID}\n\n${WRONG_DOWN}`, 'lenient')).toBe(8);
    expect(await rights(`${WRONG_DOWN}\n\n${GRID}`)).toBe(6);
  });

  test('where a word has the wrong length', async () => {
    expect(await rights('Across:\n1. CATS\n4. OW')).toBe(0);
    expect(await rights('Across:\n1. CATS\n4. OW', 'lenient')).toBe(5);
    expect(await rights(`${GRID}\n\nAcross:\n1. CATS`)).toBe(5);
  });

  test('where a grid has another shape', async () => {
    for (const grid of ['C A T S\nO W E -\nT . D -', 'C A T\nO W E', `${GRID}\nC A T`]) {
      expect(await rights(grid)).toBe(0);
    }
    expect(await rights('C A T\nO W E', 'lenient')).toBe(6);
    expect(await rights('C A T S\nO W E -\nT . D -', 'lenient')).toBe(8);
  });

  test('where one answer is given twice', async () => {
    expect(await rights('Across:\n1. CAB\n1. CAT')).toBe(2);
    expect(await rights('Across:\n1. CAB\n1. CAT', 'lenient')).toBe(3);
    expect(await rights('Across:\n1. CAT\n1. CAB', 'lenient')).toBe(2);
    expect(await rights('C A T\nO W X\nT . D\n\nC A T\nO W E\nT . D')).toBe(7);
  });

  test('but in neither does it help to try every letter', async () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const grids = letters.map((letter) => GRID.replaceAll(/[A-Z]/g, letter));
    const lists = letters.map((letter) =>
      `${ACROSS}\n\n${DOWN}`.replaceAll(/(?<=\. )[A-Z]+/g, (word) => letter.repeat(word.length)),
    );
    for (const mode of ['strict', 'lenient'] as const) {
      expect(await score(grids.join('\n\n'), mode)).toBeLessThan(0.2);
      expect(await score(lists.join('\n\n'), mode)).toBeLessThan(0.2);
      const entries = `Across:\n${letters.map((letter) => `1. ${letter.repeat(3)}`).join('\n')}`;
      expect(await score(entries, mode)).toBe(0);
    }
  });
});

describe.each(['strict', 'lenient'] as const)('a row that is a heading’s word, %s', (mode) => {
  const four = example('d', '', { solution: 'CANE\nOVEN\nDOWN\nEWES' });
  const six = example('a', '', { solution: 'ACROSS\nBEATER\nSTRONG' });

  test.each([
    ['a grid without spaces', 'CANE\nOVEN\nDOWN\nEWES'],
    ['small letters', 'cane\noven\ndown\newes'],
    ['a grid with its lists', 'CANE\nOVEN\nDOWN\nEWES\n\nAcross\n1. CANE\n\nDown\n\n1. CODE'],
    ['a list right after the grid', 'CANE\nOVEN\nDOWN\nEWES\nDown\n1. CODE'],
  ])('is a row of %s', async (_, output) => {
    expect(await score(output, mode, four)).toBe(1);
  });

  test('is a row where it is the first or the last', async () => {
    expect(await score('ACROSS\nBEATER\nSTRONG', mode, six)).toBe(1);
    const last = example('l', '', { solution: 'CANE\nOVEN\nDOWN' });
    expect(await score('CANE\nOVEN\nDOWN\n', mode, last)).toBe(1);
  });

  test('is a heading before entries, and of another width', async () => {
    expect(await score('Down\n1. CODE\n\nACROSS\n1. CANE', mode, four)).toBe(7 / 16);
    expect(await rights('Down\n1. COT', mode)).toBe(3);
  });
});

describe('a solution', () => {
  test.each([
    ['C A T\nO W E', 'CAT OWE'],
    ['cat\nowe\n\nAcross:\n1. x', 'CAT OWE'],
    ['C A T\r\nO # E\r\n', 'CAT O.E'],
    ['A ST\nR E', 'AST RE'],
    ['DOWN\nOVEN', 'DOWN OVEN'],
    ['OVEN\nDOWN\n\nDown\n1. OD', 'OVEN DOWN'],
    ['OVEN\nEVES\nDown\n1. OE', 'OVEN EVES'],
  ])('%j is read', (solution, rows) => {
    expect(
      readSolution(solution)
        ?.map((row) => row.join(''))
        .join(' '),
    ).toBe(rows);
  });

  test.each(['', '\n', 'C A T\nO W', 'C A T\nO - E', '. .\n. .', 'Across:\n1. CAT', 'C|A'])(
    '%j is none',
    (solution) => {
      expect(readSolution(solution)).toBeNull();
      const domain = crosswordsDomain('strict');
      expect(domain.findFault(example('p', '', { solution }))).toContain('scoring_data.solution');
    },
  );

  test('that is missing is found before anything runs, and is no score of 0 later', async () => {
    const domain = crosswordsDomain('strict');
    for (const data of [{}, { solution: 5 }, { solution: null }] as JsonObject[]) {
      expect(domain.findFault(example('p', '', data))).not.toBeNull();
      await expect(scoreOutput(domain, GRID, example('p', '', data))).rejects.toThrow(
        'scoring example "p" failed',
      );
    }
  });

  test('may have squares of several letters', async () => {
    const rebus = example('r', '', { solution: 'A ST\nR E' });
    expect(await score('A ST\nR E', 'strict', rebus)).toBe(1);
    expect(await score('A S\nR E', 'strict', rebus)).toBe(0.75);
  });
});

describe('numbering', () => {
  test('is that of every crossword', () => {
    const grid = readSolution(GRID) as Grid;
    const words = slotsOf(grid).map((slot) => `${slot.number} ${slot.direction} ${answerIn(grid, slot)}`);
    expect(words).toEqual(['1 across CAT', '1 down COT', '2 down AW', '3 down TED', '4 across OWE']);
  });
});
