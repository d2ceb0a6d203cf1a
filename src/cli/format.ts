import Table from 'cli-table3';
import wrapAnsi from 'wrap-ansi';
import { printable, printableLine } from '../contracts/printable.js';

/** Returns the message about an experiment in progress that has no worker. */
export function withoutWorker(id: string): string {
  return `${id} is in progress, but no worker answers. Continue it with the command that started it, or with: npx reprise worker`;
}

/** Maximum columns of a cell's line; longer text, such as a server's message, is wrapped. */
const WIDEST_LINE = 100;

/**
 * Draws a table, with a head line where `head` is not empty.
 * @param widest maximum columns of a cell's line
 */
export function headedTable(head: string[], rows: string[][], widest = WIDEST_LINE): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  // An address is cut only where the table has to be narrow.
  const hard = widest < WIDEST_LINE;
  // Made printable before wrapping: control characters would have no width here.
  drawn.push(...rows.map((row) => row.map((cell) => wrapAnsi(printable(cell), widest, { hard }))));
  return drawn.toString();
}

/** Characters of a text that {@link beginningOf} looks at, white space included. */
const LOOKED_AT = 1000;
/** Characters for each column: those of more than one code unit, and those without a width. */
const CHARACTERS_A_COLUMN = 4;

/** Returns the beginning of a text as one line of at most so many columns, with `…` where something is left out. */
export function beginningOf(text: string, columns: number): string {
  const line = printableLine(text.slice(0, LOOKED_AT));
  const shown = line.slice(0, columns * CHARACTERS_A_COLUMN);
  const firstLine = (width: number) => wrapAnsi(shown, width, { hard: true }).split('\n');
  const [whole = '', ...more] = firstLine(columns);
  if (more.length === 0 && shown === line && text.length <= LOOKED_AT) return whole;
  return `${firstLine(columns - 1)[0]?.trimEnd() ?? ''}…`;
}

/** Quotes a word for a shell, if needed. */
export function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
