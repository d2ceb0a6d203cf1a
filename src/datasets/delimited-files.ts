import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { DatasetError } from './dataset-error.js';
import type { DatasetRow } from './row.js';
import { blocksOf, strictText } from './text-blocks.js';

/** Maximum characters of a header line. */
const LONGEST_HEADER = 1 << 20;
/** First line of a file by Excel that names the delimiter. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;

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
  const parser = parse({
    delimiter: used,
    columns: (header: string[]) => columnNames(header, path, field),
    skip_empty_lines: true,
    // In tab-separated files a quote inside a value is usually a literal character.
    relax_quotes: used === '\t',
  });
  // Errors of every stream of the pipeline are thrown by the iteration.
  const records = pipeline(joined(head.slice(line?.length ?? 0), text), parser, () => {});
  for await (const row of records) yield row as DatasetRow;
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
      .replace(/"[^"]*"?/g, '')
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
