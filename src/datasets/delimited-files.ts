import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { readLines } from '../storage/json-lines.js';
import { DatasetError } from './dataset-error.js';
import type { DatasetRow } from './row.js';
import { blocksOf, strictText } from './text-blocks.js';

/** Maximum characters of a header line. */
const LONGEST_HEADER = 1 << 20;
/** First line of a file by Excel that names the delimiter. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;
/** A value that is in quotes as a whole. */
const QUOTED = /^"[^"]*(?:""[^"]*)*"$/;
/** Stands for a quote that is text, as no character of a file is this one. */
const MARK = '\ufdd0';

/**
 * Reads the rows of a CSV or TSV file with a header line, streamed. Every value is text.
 * @param delimiter null: comma, semicolon or tab, the most frequent in the header
 */
export async function* readDelimitedRows(
  path: string,
  delimiter: '\t' | null,
  field: string,
): AsyncGenerator<DatasetRow> {
  const text = strictText(blocksOf(path, field), path, field);
  const head = await headOf(text);
  const [line, said] = SEPARATOR_LINE.exec(head) ?? [];
  const used = delimiter ?? said ?? mostFrequent(head);
  const isOneALine = used === '\t' && (await hasRowALine(path, field));
  // The parser's own `cast` makes it several times slower.
  const read = isOneALine ? unquoted : (value: string) => value.replaceAll(MARK, '"');
  const parser = parse({
    delimiter: used,
    columns: (header: string[]) => columnNames(header.map(read), path, field),
    skip_empty_lines: true,
    // In tab-separated files a quote that begins a value may be text as well.
    relax_quotes: used === '\t',
    quote: isOneALine ? false : '"',
  });
  const whole = joined(head.slice(line?.length ?? 0), text);
  // Errors of every stream of the pipeline are thrown by the iteration.
  const records = pipeline(used === '\t' ? whole : withMarks(whole, used), parser, () => {});
  for await (const row of records as AsyncIterable<Record<string, string>>) {
    for (const name in row) row[name] = read(row[name] as string);
    yield row;
  }
}

/**
 * Reports whether every line has as many tabs as the header: then no value has a tab or a line end in it, and a quote
 * that begins one need not be closed. Of a file without tabs, only the header is read.
 */
async function hasRowALine(path: string, field: string): Promise<boolean> {
  const lines = readLines(strictText(blocksOf(path, field), path, field), path);
  let [columns, rows] = [0, -1];
  for await (const { text } of lines) {
    if (text.trim() === '' || SEPARATOR_LINE.test(`${text}\n`)) continue;
    const count = text.split('\t').length;
    if (count === 1 || (rows >= 0 && count !== columns)) return false;
    columns = count;
    rows += 1;
  }
  return rows > 0;
}

const unquoted = (value: string) => (QUOTED.test(value) ? value.slice(1, -1).replaceAll('""', '"') : value);

/**
 * Puts a mark in the place of each quote inside a value that does not begin with one: it is text. What stands in quotes,
 * and a quote after nothing but spaces, are left to the parser.
 */
async function* withMarks(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<string> {
  const ends = ['', '\n', '\r', delimiter];
  let [isQuoted, isText] = [false, false];
  // The last character but for spaces.
  let last = '';
  for await (const block of text) {
    const before = (position: number) => {
      let at = position - 1;
      while (block[at] === ' ') at -= 1;
      return block[at] ?? last;
    };
    yield block.replaceAll('"', (quote, position: number) => {
      if (isQuoted) {
        isQuoted = false;
        isText = false;
        return quote;
      }
      const former = before(position);
      // After the end of a part in quotes, one more means a quote in it.
      isText = former === '"' ? isText : !ends.includes(former);
      isQuoted = !isText;
      return isText ? MARK : quote;
    });
    last = before(block.length);
  }
}

async function* joined(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (head !== '') yield head;
  yield* rest;
}

/** Reads a text until it contains two line ends, or up to the limit. */
async function headOf(text: AsyncGenerator<string>): Promise<string> {
  let head = '';
  while (head.length < LONGEST_HEADER && !/\n[^\n]*\n/.test(head)) {
    const { value, done } = await text.next();
    if (done) break;
    head += value;
  }
  return head;
}

/** Returns the most frequent delimiter of the first line, outside quotes: a comma unless another has more. */
function mostFrequent(head: string): string {
  const header =
    head
      .trimStart()
      .replace(/(^|[,;\t\n])"[^"]*(?:""[^"]*)*"/g, '$1')
      .split('\n', 1)[0] ?? '';
  const count = (delimiter: string) => header.split(delimiter).length;
  return [';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best), ',');
}

/** Checks a header; a column without a name, as pandas writes for its index, gets the name that pandas gives it. */
function columnNames(header: string[], path: string, field: string): string[] {
  const names = header.map((name, index) => (name.trim() === '' ? `Unnamed: ${index}` : name.trim()));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new DatasetError(`the header of ${path} (${field}) names the column '${repeated}' twice`, field);
  }
  return names;
}
