import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import wrapAnsi from 'wrap-ansi';
import { printable } from '../contracts/printable.js';

/** An artifact address as a person types it: a folder as a path, from here where it lies below. */
export function shownAddress(address: string): string {
  if (!address.startsWith('file:')) return address;
  const path = fileURLToPath(address);
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}

/** What is said of an experiment in progress that nobody works on. */
export function withoutWorker(id: string): string {
  return `${id} is in progress, but no worker answers. Continue it with the command that started it, or with: npx reprise worker`;
}

/** Columns of a cell's line; what is longer, such as the message of a server, goes on below. */
const WIDEST_LINE = 100;

/** A table with a head line, where `head` is not empty. */
export function headedTable(head: string[], rows: string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  // Shown as they are printed: what a terminal acts on would have no width here.
  drawn.push(...rows.map((row) => row.map((cell) => wrapAnsi(printable(cell), WIDEST_LINE))));
  return drawn.toString();
}
