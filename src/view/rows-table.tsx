import type { KindView } from '../kinds/kind.js';
import { Count, Duration, Figure, NOTHING } from '../reports/figures.js';
import { NumberCell, Scroll } from '../reports/table.js';
import { dollarsText, pluralOf, scoreText } from '../statistics/figure-text.js';
import { href, unitHref } from './addresses.js';
import type { Note } from './notes.js';
import { type IndexedRow, unitKey } from './row-index.js';

/** Rows on a page: a browser lays out this many in a fifth of a second. */
const PAGE_ROWS = 100;

/** What a table shows of an experiment's rows, as its address has it. */
export interface RowsQuery {
  /** Text in the id, the question, the answer or the metadata. */
  find: string;
  /** `all`, `error`, `cut_off`, `noted`, or a comparison of a score, such as `correct=0`. */
  only: string;
  /** Column, with a minus before it for falling values. */
  sort: string;
  /** From 1. */
  page: number;
}

export function rowsQuery(search: URLSearchParams): RowsQuery {
  return {
    find: search.get('find') ?? '',
    only: search.get('only') ?? 'all',
    sort: search.get('sort') ?? '',
    page: Math.max(1, Math.trunc(Number(search.get('page') ?? 1)) || 1),
  };
}

const isSame = (left: string, right: string) => left.toLowerCase().includes(right.toLowerCase());

/** Rows that a query asks for, in its order. */
export function selected(
  rows: readonly IndexedRow[],
  { find, only, sort }: RowsQuery,
  notes: readonly Note[],
): IndexedRow[] {
  const noted = new Set(notes.map(({ id, trial }) => unitKey(id, trial)));
  const [, score, wanted] = /^(.+)=([01])$/.exec(only) ?? [];
  const kept = rows.filter((row) => {
    if (only === 'error' && row.error === null) return false;
    if (only === 'cut_off' && !row.cut_off) return false;
    if (only === 'noted' && !noted.has(unitKey(row.id, row.trial))) return false;
    if (score !== undefined) {
      const value = cellOf(row, score);
      if (typeof value !== 'number' || value >= 1 !== (wanted === '1')) return false;
    }
    return (
      find === '' ||
      [row.id, row.question, row.answer, ...Object.values(row.metadata)].some((text) => isSame(text, find))
    );
  });
  if (sort === '') return kept;
  const [column, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  return kept.sort((left, right) => {
    const [one, other] = [cellOf(left, column), cellOf(right, column)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * String(one).localeCompare(String(other), 'en', { numeric: true });
  });
}

function cellOf(row: IndexedRow, column: string): string | number | null {
  if (Object.hasOwn(PLAIN, column)) return PLAIN[column as keyof typeof PLAIN](row);
  if (Object.hasOwn(row.scores, column)) return row.scores[column] ?? null;
  return Object.hasOwn(row.metadata, column) ? (row.metadata[column] ?? null) : null;
}

/** Columns that every kind has. */
const PLAIN = {
  id: ({ id }: IndexedRow) => id,
  trial: ({ trial }: IndexedRow) => trial,
  error: ({ error }: IndexedRow) => error,
  calls: ({ lm_calls }: IndexedRow) => lm_calls,
  cost: ({ cost_usd }: IndexedRow) => cost_usd,
  time: ({ seconds }: IndexedRow) => seconds,
};

const MEASURED = ['calls', 'cost', 'time'] as const;

function Measured({ name, row }: { name: (typeof MEASURED)[number]; row: IndexedRow }) {
  const value = PLAIN[name](row);
  if (value === null) return NOTHING;
  if (name === 'calls') return <Count value={value} />;
  return name === 'cost' ? <Figure value={value} shown={dollarsText(value)} /> : <Duration seconds={value} />;
}

const namesIn = (rows: readonly IndexedRow[], of: (row: IndexedRow) => object) => {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(of(row))) names.add(name);
  return [...names];
};

/** Table of an experiment's rows: filtered, sorted, a page of them at a time. */
export function RowsTable({
  id,
  view,
  rows,
  query,
  notes,
}: {
  id: string;
  view: Pick<KindView, 'unit' | 'experimentOf'>;
  rows: readonly IndexedRow[];
  query: RowsQuery;
  notes: readonly Note[];
}) {
  const { unit, experimentOf } = view;
  const found = selected(rows, query, notes);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(query.page, pages);
  const shown = found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
  const scores = namesIn(rows, (row) => row.scores).slice(0, 12);
  const fields = namesIn(rows, (row) => row.metadata).slice(0, 6);
  const address = (changes: Partial<RowsQuery>) => {
    const { find, only, sort, page: number } = { ...query, page: 1, ...changes };
    const parameters = {
      id,
      find: find === '' ? undefined : find,
      only: only === 'all' ? undefined : only,
      sort: sort === '' ? undefined : sort,
      page: number === 1 ? undefined : number,
    };
    return href('experiment', parameters, 'units');
  };
  const trials = rows.some(({ trial }) => trial > 0);
  const answers = rows.some(({ answer }) => answer !== '');
  const faults = rows.some(({ error, cut_off }) => error !== null || cut_off);
  // A column that no row has anything in takes the place of one that says something.
  const measured = MEASURED.filter((name) => rows.some((row) => PLAIN[name](row) !== null));
  const hrefOf = (row: IndexedRow) =>
    experimentOf === undefined
      ? unitHref(id, row.id, row.trial)
      : href('experiment', { id: `${id}/${experimentOf(row)}` });
  return (
    <>
      <form class="filter" method="get" action="./experiment#units">
        <input type="hidden" name="id" value={id} />
        {query.sort !== '' && <input type="hidden" name="sort" value={query.sort} />}
        <label>
          Find <input type="search" name="find" value={query.find} />
        </label>
        <label>
          Show{' '}
          <select name="only">
            {[
              ['all', `all ${pluralOf(unit)}`],
              ['error', 'errors'],
              ['cut_off', 'cut off'],
              ['noted', 'with a note'],
              ...scores.flatMap((name) => [
                [`${name}=1`, `${name} of 1`],
                [`${name}=0`, `${name} below 1`],
              ]),
            ].map(([value, label]) => (
              <option key={value} value={value} selected={value === query.only}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Show</button>
      </form>
      <p class="note" role="status">
        <Count value={found.length} /> of <Count value={rows.length} /> {pluralOf(unit)}
      </p>
      {found.length === 0 ? (
        <p>
          No {unit} is so. <a href={address({ find: '', only: 'all' })}>Show all</a>
        </p>
      ) : (
        <Scroll label={`Table of ${pluralOf(unit)}`}>
          <table class="rows">
            <thead>
              <tr>
                <Head name="id" label={unit} query={query} address={address} />
                {trials && <Head name="trial" query={query} address={address} />}
                {scores.map((name) => (
                  <Head key={name} name={name} query={query} address={address} isFalling />
                ))}
                {answers && <th scope="col">answer</th>}
                {fields.map((name) => (
                  <Head
                    key={name}
                    name={name}
                    label={name.replace(/^metadata\./, '')}
                    query={query}
                    address={address}
                  />
                ))}
                {faults && <Head name="error" query={query} address={address} />}
                {measured.map((name) => (
                  <Head key={name} name={name} query={query} address={address} isFalling />
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={unitKey(row.id, row.trial)}>
                  <th scope="row">
                    <a href={hrefOf(row)}>{row.id === '' ? '(no id)' : row.id}</a>
                    {row.question !== '' && <small class="asked">{row.question}</small>}
                  </th>
                  {trials && <NumberCell>{row.trial + 1}</NumberCell>}
                  {scores.map((name) => (
                    <NumberCell key={name}>
                      <ScoreMark value={row.scores[name]} isShare={scoreIsShare(rows, name)} />
                    </NumberCell>
                  ))}
                  {answers && <td class="wide">{row.answer}</td>}
                  {fields.map((name) => (
                    <td key={name}>{row.metadata[name] ?? NOTHING}</td>
                  ))}
                  {faults && (
                    <td>
                      {row.error !== null && <span class="status error">{row.error}</span>}
                      {row.cut_off && <span class="status error">cut off</span>}
                    </td>
                  )}
                  {measured.map((name) => (
                    <NumberCell key={name}>
                      <Measured name={name} row={row} />
                    </NumberCell>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {pages > 1 && (
        <nav class="pages" aria-label="Pages of the table">
          {page > 1 && <a href={address({ page: page - 1 })}>previous</a>}
          <span>
            page {page} of {pages}
          </span>
          {page < pages && <a href={address({ page: page + 1 })}>next</a>}
        </nav>
      )}
    </>
  );
}

const shares = new WeakMap<readonly IndexedRow[], Map<string, boolean>>();

/** Reports whether all values of a score are 0 or 1. */
function scoreIsShare(rows: readonly IndexedRow[], name: string): boolean {
  const known = shares.get(rows) ?? new Map<string, boolean>();
  shares.set(rows, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const is = rows.every(({ scores }) => [0, 1, undefined].includes(scores[name]));
  known.set(name, is);
  return is;
}

/** A score; right and wrong have a sign besides their colour. */
export function ScoreMark({ value, isShare }: { value: number | undefined; isShare: boolean }) {
  if (value === undefined) return NOTHING;
  const shown = <Figure value={value} shown={scoreText(value)} />;
  if (!isShare) return shown;
  return <span class={`status ${value === 1 ? 'success' : 'failure'}`}>{shown}</span>;
}

/** Head of a column, whose link sorts by it and, once more, the other way round. */
function Head({
  name,
  label = name,
  query: { sort },
  address,
  isFalling = false,
}: {
  name: string;
  label?: string;
  query: RowsQuery;
  address: (changes: Partial<RowsQuery>) => string;
  isFalling?: boolean;
}) {
  const [first, second] = isFalling ? [`-${name}`, name] : [name, `-${name}`];
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
  return (
    <th scope="col" aria-sort={order}>
      <a href={address({ sort: sort === first ? second : first })}>{label}</a>
    </th>
  );
}
