import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import wrapAnsi from 'wrap-ansi';
import { printable } from '../contracts/printable.js';

/** Formats an artifact address for people: a folder as a path, relative where it is below the current one. */
export function shownAddress(address: string): string {
  if (!address.startsWith('file:')) return address;
  const path = fileURLToPath(address);
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}

/** Returns the message about an experiment in progress that has no worker. */
export function withoutWorker(id: string): string {
  return `${id} is in progress, but no worker answers. Continue it with the command that started it, or with: npx reprise worker`;
}

/** Maximum columns of a cell's line; longer text, such as a server's message, is wrapped. */
const WIDEST_LINE = 100;

/** Draws a table, with a head line where `head` is not empty. */
export function headedTable(head: string[], rows: string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  // Made printable before wrapping: control characters would have no width here.
  drawn.push(...rows.map((row) => row.map((cell) => wrapAnsi(printable(cell), WIDEST_LINE))));
  return drawn.toString();
}
