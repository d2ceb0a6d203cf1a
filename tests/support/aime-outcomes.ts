/**
 * Whether Claude 3.5 Sonnet was right on each problem of AIME 2024, alone and with the Dynamic Cheatsheet, as graded from
 * the answers that suzgunmirac/dynamic-cheatsheet published: 7 and 15 of 30.
 */
const OUTCOMES: readonly (readonly [id: string, baseline: number, cheatsheet: number])[] = [
  ['2024-I-1', 0, 1],
  ['2024-I-10', 0, 0],
  ['2024-I-11', 0, 1],
  ['2024-I-12', 0, 0],
  ['2024-I-13', 0, 1],
  ['2024-I-14', 0, 0],
  ['2024-I-15', 0, 1],
  ['2024-I-2', 1, 1],
  ['2024-I-3', 0, 1],
  ['2024-I-4', 1, 1],
  ['2024-I-5', 1, 1],
  ['2024-I-6', 1, 1],
  ['2024-I-7', 1, 1],
  ['2024-I-8', 0, 0],
  ['2024-I-9', 0, 0],
  ['2024-II-1', 0, 0],
  ['2024-II-10', 1, 1],
  ['2024-II-11', 0, 0],
  ['2024-II-12', 0, 0],
  ['2024-II-13', 0, 1],
  ['2024-II-14', 0, 1],
  ['2024-II-15', 0, 0],
  ['2024-II-2', 0, 0],
  ['2024-II-3', 0, 1],
  ['2024-II-4', 0, 0],
  ['2024-II-5', 0, 0],
  ['2024-II-6', 1, 0],
  ['2024-II-7', 0, 1],
  ['2024-II-8', 0, 0],
  ['2024-II-9', 0, 0],
];

export const AIME = OUTCOMES.map(([id, baseline, cheatsheet]) => ({ id, baseline, cheatsheet }));
