import type { ComponentChildren } from 'preact';
import { type LineFact, plainText } from '../facts/text.js';
import { durationText, percentText, scoreText } from '../statistics/figure-text.js';
import { Table } from './table.js';

/** Text for a missing value. */
export const NOTHING = '–';

/** Number in a readable form; its tooltip shows the exact one. */
export const Figure = ({ value, shown }: { value: number; shown: string }) => (
  <data value={String(value)} title={String(value)}>
    {shown}
  </data>
);

export const Share = ({ value }: { value: number | null | undefined }) =>
  value == null ? NOTHING : <Figure value={value} shown={percentText(value)} />;

const Score = ({ value }: { value: number | null | undefined }) =>
  value == null ? NOTHING : <Figure value={value} shown={scoreText(value)} />;

/** Count with a narrow space between groups of three digits. */
export const Count = ({ value }: { value: number }) => (
  <data value={String(value)}>{value.toLocaleString('en-US').replaceAll(',', '\u202f')}</data>
);

export const Duration = ({ seconds }: { seconds: number }) => (
  <time datetime={`PT${seconds}S`} title={`${seconds} s`}>
    {
      // Numbers and units stay in one line.
      durationText(seconds).replaceAll(/(?<=\d) /g, '\u00a0')
    }
  </time>
);

/** Point in time, such as `2026-01-31T23:59:59.123Z`, in a readable form. */
export const Moment = ({ iso }: { iso: string }) => (
  <time datetime={iso}>
    {/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso}
  </time>
);

/** Renders a value for a tile or a cell; null where it is not a number. */
export function numberOf(value: LineFact['value']): ComponentChildren {
  switch (value.kind) {
    case 'count':
      return <Count value={value.count} />;
    case 'money':
      return value.dollars === null ? (
        plainText(value)
      ) : (
        <Figure value={value.dollars} shown={plainText(value)} />
      );
    case 'rate':
      return <Share value={value.rate} />;
    case 'score':
      return <Score value={value.score} />;
    case 'duration':
      return <Duration seconds={value.seconds} />;
    default:
      return null;
  }
}

/** A named value. */
export type NamedFigure = readonly [name: string, value: ComponentChildren];

/** Names with their values, next to each other. */
export const FactList = ({ facts }: { facts: readonly NamedFigure[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Every value of a JSON document, unchanged, with its path. */
export const ExactFigures = ({ document, source }: { document: object; source: string }) => (
  <details class="exact">
    <summary>
      <h3>Every figure, as in {source}</h3>
    </summary>
    <Table label="Table of every figure" columns={['field', 'value']}>
      {[...leaves(document, '')].map(([place, value]) => (
        <tr>
          <th scope="row">
            <code>{place}</code>
          </th>
          <td>
            <code>{value}</code>
          </td>
        </tr>
      ))}
    </Table>
  </details>
);

function* leaves(value: unknown, place: string): Generator<[string, string]> {
  if (typeof value !== 'object' || value === null) {
    yield [place, typeof value === 'string' ? value : String(value)];
    return;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) yield [place, Array.isArray(value) ? '[]' : '{}'];
  for (const [key, inner] of entries) {
    if (inner === undefined) continue;
    const step = Array.isArray(value) ? `[${key}]` : place === '' ? key : `.${key}`;
    yield* leaves(inner, `${place}${step}`);
  }
}
