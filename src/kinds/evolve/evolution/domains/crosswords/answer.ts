import {
  BLACK,
  type Direction,
  type Grid,
  isRowOfThatName,
  openSquares,
  type Slot,
  slotsOf,
  squaresOf,
} from './grid.js';

/** One part of an answer: a grid, or a list of the words in one direction. */
export interface Piece {
  kind: 'grid' | Direction;
  claims: Claim[];
}

/**
 * Letter that a piece has for one square. `square` null: the piece does not fit the puzzle there, whatever its letters.
 */
interface Claim {
  row: number;
  column: number;
  square: string | null;
}

const HEADING = /^\W*(across|down)(?:\s+(?:answers|words|entries|clues))?\W*$/i;
const ENTRY = /^[\s*+-]*(\d{1,3})[ad]?(?:\s*[.):\-–—]|\s*(?=\*))?\**\s([\s\S]*)/i;
/** Matches a rule of a drawn table. One of hyphens alone may be a row of empty squares. */
const isRule = (line: string) => /^[\s|+:=-]*$/.test(line) && /[|+]/.test(line);
/** Single words that programs print above and below a grid. */
const LABEL = /^(?:grid|puzzle|crossword|solution|solved|answer|result|output|filled|final|done|end)\.?$/i;
const BLANKS = /^[-_?*□·]$/;
const BLACKS = /^[.#■█▪⬛]$/u;
const LONGEST_REBUS = 10;

/**
 * Reads the pieces of an answer to the puzzle with this solution, in order.
 *
 * - `Across:` and `Down:` head lists of entries such as `3. CRANE`. Spaces, punctuation and text in brackets are not
 *   part of a word.
 * - A block of rows is a grid if it is as high as the puzzle, or if it has several rows that are all as wide as the
 *   puzzle. A row is letters with spaces, `|` or nothing between them; `.` and `#` are black squares; `-`, `_` and `?`
 *   are empty ones. Of too many rows, rules and single words at the ends are dropped (see {@link withoutRemarks}).
 * - All other lines are ignored.
 */
export function readPieces(output: string, solution: Grid): Piece[] {
  const slots = slotsOf(solution);
  const pieces: Piece[] = [];
  const width = solution[0]?.length ?? 0;
  const longestSquare = solution.flat().some((square) => [...square].length > 1) ? LONGEST_REBUS : 1;
  let list: { piece: Piece; slots: Slot[] } | null = null;
  let rows: Row[] = [];
  const endGrid = () => {
    const piece = gridPiece(withoutRemarks(rows, solution.length, width), solution);
    if (piece !== null) pieces.push(piece);
    rows = [];
  };
  const lines = output.split(/\r\n|[\r\n]/);
  for (const [index, line] of lines.entries()) {
    const heading = HEADING.exec(line)?.[1]?.toLowerCase() as Direction | undefined;
    if (heading !== undefined && !isRowOfThatName(lines, index, width)) {
      endGrid();
      const piece: Piece = { kind: heading, claims: [] };
      pieces.push(piece);
      list = { piece, slots: slots.filter(({ direction }) => direction === heading) };
      continue;
    }
    const entry: RegExpExecArray | null = list === null ? null : ENTRY.exec(line);
    if (list !== null && entry !== null) {
      addEntry(list.piece, Number(entry[1]), entry[2] ?? '', list.slots);
      continue;
    }
    if (line.trim() !== '') list = null;
    if (isRule(line)) continue;
    const row = readRow(line, longestSquare);
    if (row === null) endGrid();
    else rows.push(row);
  }
  endGrid();
  return pieces;
}

function addEntry(piece: Piece, number: number, text: string, slots: readonly Slot[]): void {
  const slot = slots.find((one) => one.number === number);
  if (slot === undefined) return;
  const letters = lettersOf(text, slot.squares.length);
  const fits = letters.length === slot.squares.length;
  // An entry that a list gives twice counts twice: in strict mode both must agree.
  for (const [index, [row, column]] of slot.squares.entries()) {
    const square = letters[index];
    if (!fits) piece.claims.push({ row, column, square: null });
    if (square !== undefined && !BLANKS.test(square)) piece.claims.push({ row, column, square });
  }
}

/**
 * Returns the letters and empty squares of an entry. Hyphens are empty squares only if the length is right with them.
 */
function lettersOf(text: string, length: number): string[] {
  const bare = withoutBracketed(withoutBracketed(text, '(', ')'), '[', ']').toUpperCase();
  const withHyphens = [...bare.replaceAll(/[^\p{L}\d_?-]/gu, '')];
  return withHyphens.length === length ? withHyphens : withHyphens.filter((letter) => letter !== '-');
}

/** Removes every opening bracket with the text up to the next closing one. */
function withoutBracketed(text: string, open: string, close: string): string {
  let rest = '';
  for (let from = 0; ; ) {
    const start = text.indexOf(open, from);
    const end = start === -1 ? -1 : text.indexOf(close, start);
    if (end === -1) return rest + text.slice(from);
    rest += text.slice(from, start);
    from = end + 1;
  }
}

interface Row {
  squares: string[];
  /** True if nothing separates its squares, as in a word. */
  isSolid: boolean;
}

/** Returns the squares of a line; null where it is not a row. */
function readRow(line: string, longestSquare: number): Row | null {
  const text = line.trim();
  if (text === '') return null;
  const cells = text.includes('|')
    ? text
        .toUpperCase()
        .replace(/^\||\|$/g, '')
        .split('|')
        .map((cell) => cell.trim() || '-')
    : squaresOf(text);
  const isSquare = (cell: string) =>
    BLANKS.test(cell) ||
    BLACKS.test(cell) ||
    (/^[\p{L}\d]+$/u.test(cell) && [...cell].length <= longestSquare);
  if (!cells.every(isSquare)) return null;
  return { squares: cells.map((cell) => (BLACKS.test(cell) ? BLACK : cell)), isSolid: !/[\s|]/.test(text) };
}

/**
 * Removes lines that are not rows from a block of more rows than the puzzle has: rules of hyphens, and at its ends
 * words next to rows with gaps, words of another width, and labels.
 */
function withoutRemarks(rows: readonly Row[], height: number, width: number): Row[] {
  if (rows.length <= height) return [...rows];
  const unruled = rows.filter(({ squares, isSolid }) => !isSolid || squares.some((square) => square !== '-'));
  const kept = unruled.length < height ? rows : unruled;
  const hasGaps = kept.some(({ isSolid }) => !isSolid);
  const isRemark = (row: Row | undefined) =>
    row?.isSolid === true && (hasGaps || row.squares.length !== width || LABEL.test(row.squares.join('')));
  let [start, end] = [0, kept.length];
  while (end - start > height && isRemark(kept[start])) start += 1;
  while (end - start > height && isRemark(kept[end - 1])) end -= 1;
  return kept.slice(start, end);
}

function gridPiece(rows: readonly Row[], solution: Grid): Piece | null {
  const width = solution[0]?.length ?? 0;
  const isWide = rows.every(({ squares }) => squares.length === width);
  const isHigh = rows.length === solution.length;
  if (rows.length === 0 || (!isHigh && (!isWide || rows.length === 1))) return null;
  const claims: Claim[] = [];
  for (const [row, squares] of solution.entries()) {
    for (const [column, right] of squares.entries()) {
      if (right === BLACK) continue;
      const square = rows[row]?.squares[column];
      if (!isWide || !isHigh) claims.push({ row, column, square: null });
      if (square !== undefined && !BLANKS.test(square)) claims.push({ row, column, square });
    }
  }
  return { kind: 'grid', claims };
}

/**
 * Counts the squares to be filled that are right.
 *
 * Strict: a square is right if some piece has its letter and no piece has another; a list entry of the wrong length, or
 * a grid of another shape, is wrong in all of its squares. Lenient: one piece with the right letter is enough, letter
 * by letter from the start; of several grids (or lists of one direction) the last one counts, or a program could win by
 * trying every letter.
 */
export function countRight(
  pieces: readonly Piece[],
  solution: Grid,
  mode: 'strict' | 'lenient',
): { right: number; squares: number } {
  const counted =
    mode === 'strict' ? pieces : [...new Map(pieces.map((piece) => [piece.kind, piece])).values()];
  const right = new Set<string>();
  const wrong = new Set<string>();
  for (const piece of counted) {
    const claims = mode === 'strict' ? piece.claims : lastClaims(piece.claims);
    for (const { row, column, square } of claims) {
      const place = `${row},${column}`;
      (square === solution[row]?.[column] ? right : wrong).add(place);
    }
  }
  const isRight = (place: string) => mode === 'lenient' || !wrong.has(place);
  return { right: [...right].filter(isRight).length, squares: openSquares(solution) };
}

/** Keeps the last letter for each square: an entry that is given twice counts as it was given last. */
function lastClaims(claims: readonly Claim[]): Claim[] {
  const last = new Map<string, Claim>();
  for (const claim of claims) {
    if (claim.square !== null) last.set(`${claim.row},${claim.column}`, claim);
  }
  return [...last.values()];
}
