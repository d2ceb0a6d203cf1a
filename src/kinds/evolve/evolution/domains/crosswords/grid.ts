/** Rows of squares: capital letters (several in a rebus square), or {@link BLACK}. All rows have the same length. */
export type Grid = readonly (readonly string[])[];

export const BLACK = '.';

export type Direction = 'across' | 'down';

/** Place of a word in a grid. */
export interface Slot {
  /** Number in its first square, from 1. */
  number: number;
  direction: Direction;
  /** Row and column of each square, from 0. */
  squares: readonly (readonly [number, number])[];
}

/**
 * Returns the slots of a grid, numbered as in every crossword: squares that begin a word of two or more squares, across
 * or down, from left to right and from top to bottom.
 */
export function slotsOf(grid: Grid): Slot[] {
  const isOpen = (row: number, column: number) => (grid[row]?.[column] ?? BLACK) !== BLACK;
  const slots: Slot[] = [];
  let number = 0;
  for (const [row, squares] of grid.entries()) {
    for (const column of squares.keys()) {
      if (!isOpen(row, column)) continue;
      const across = !isOpen(row, column - 1) && isOpen(row, column + 1);
      const down = !isOpen(row - 1, column) && isOpen(row + 1, column);
      if (!across && !down) continue;
      number += 1;
      const run = (downwards: number, rightwards: number) => {
        const found: [number, number][] = [];
        for (let step = 0; isOpen(row + step * downwards, column + step * rightwards); step += 1) {
          found.push([row + step * downwards, column + step * rightwards]);
        }
        return found;
      };
      if (across) slots.push({ number, direction: 'across', squares: run(0, 1) });
      if (down) slots.push({ number, direction: 'down', squares: run(1, 0) });
    }
  }
  return slots;
}

/** Returns the letters of a slot. */
export function answerIn(grid: Grid, { squares }: Slot): string {
  return squares.map(([row, column]) => grid[row]?.[column] ?? '').join('');
}

/** Counts the squares that are to be filled. */
export function openSquares(grid: Grid): number {
  return grid.flat().filter((square) => square !== BLACK).length;
}

/** Splits a row into its squares, in upper case: at spaces, or else into characters. */
export function squaresOf(line: string): string[] {
  const text = line.trim().toUpperCase();
  return /\s/.test(text) ? text.split(/\s+/) : [...text];
}

/**
 * Reports whether a line that is nothing but "across" or "down" is a row: it is as wide as the grid, and the next
 * non-empty line is not an entry of a list.
 */
export function isRowOfThatName(lines: readonly string[], index: number, width: number): boolean {
  const word = (lines[index] as string).trim();
  if (!/^(?:across|down)$/i.test(word) || word.length !== width) return false;
  let next = index + 1;
  while (lines[next]?.trim() === '') next += 1;
  return !/^[\s*+-]*\d/.test(lines[next] ?? '');
}

/**
 * Reads the grid at the top of a solution: one row per line, with or without spaces between the squares, up to the
 * first empty line or heading. Null where there is no grid.
 */
export function readSolution(solution: string): Grid | null {
  const lines = solution.trim().split(/\r?\n/);
  const wide = squaresOf(lines[0] as string).length;
  const isHeading = (line: string, index: number) =>
    /^\s*(?:across|down)\b/i.test(line) && !isRowOfThatName(lines, index, wide);
  const end = lines.findIndex((line, index) => line.trim() === '' || isHeading(line, index));
  const rows = (end < 0 ? lines : lines.slice(0, end)).map((line) =>
    squaresOf(line).map((square) => (square === '#' ? BLACK : square)),
  );
  const width = rows[0]?.length ?? 0;
  const isGrid = rows.every(
    (row) => row.length === width && row.every((square) => square === BLACK || /^[\p{L}\d]+$/u.test(square)),
  );
  return isGrid && openSquares(rows) > 0 ? rows : null;
}
