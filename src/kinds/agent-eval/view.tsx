import type { VNode } from 'preact';
import { takeUpdate } from '../../client/control.js';
import { askProgress, QUERY_TIMEOUT } from '../../client/follow.js';
import type { SqlRow } from '../../contracts/database.js';
import { SqliteDatabase } from '../../databases/sqlite-database.js';
import type { Section } from '../../reports/page.js';
import { Table } from '../../reports/table.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { keysBelow } from '../../storage/read-ahead.js';
import { readStoredConfig } from '../../storage/stored-config.js';
import { readJson } from '../../storage/stored-file.js';
import type { KindView, LiveRow, ViewedUnit } from '../kind.js';
import type { StoredResult } from './activities/rollout-results.js';
import { baseKey, versionsOf } from './bundles/rollout-database.js';
import { agentEvalComparison } from './comparison.js';
import { REPLY, type RolloutRow } from './contracts.js';
import { rolloutsFolder } from './paths.js';
import { agentEvalReport } from './report.js';
import type { AgentEvalMetrics, RolloutProgress } from './results.js';

/** Maximum rows of a table that are compared. */
const MAX_ROWS = 20_000;
/** Maximum writes of a rollout that are shown. */
const MAX_WRITES = 50;
/** Maximum changed rows of a table that are listed. */
const MAX_LISTED = 100;

/** Rows of a table by their text, each with how often it is there. */
type TableRows = Map<string, { row: SqlRow; count: number }>;

async function tablesOf(bytes: Uint8Array): Promise<Map<string, TableRows>> {
  const database = await SqliteDatabase.open(bytes, { now: 0, seed: 'view', readOnly: true });
  try {
    const tables = new Map<string, TableRows>();
    const names = await database.fetchAll<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    );
    for (const { name } of names) {
      const rows: TableRows = new Map();
      const quoted = `"${name.replaceAll('"', '""')}"`;
      for (const row of await database.fetchAll(`select * from ${quoted} limit ${MAX_ROWS}`)) {
        const text = JSON.stringify(row);
        const known = rows.get(text);
        if (known === undefined) rows.set(text, { row, count: 1 });
        else known.count += 1;
      }
      tables.set(name, rows);
    }
    return tables;
  } finally {
    database.close();
  }
}

/** Returns the rows that `more` has beyond those of `less`. */
function beyond(more: TableRows, less: TableRows): SqlRow[] {
  return [...more].flatMap(([text, { row, count }]) =>
    Array.from({ length: Math.max(0, count - (less.get(text)?.count ?? 0)) }, () => row),
  );
}

interface TableChange {
  table: string;
  before: SqlRow[];
  after: SqlRow[];
}

/** Compares the tables of two databases, row by row. */
function databaseChanges(earlier: Map<string, TableRows>, later: Map<string, TableRows>): TableChange[] {
  return [...new Set([...earlier.keys(), ...later.keys()])].sort().flatMap((table) => {
    const [left, right] = [earlier.get(table) ?? new Map(), later.get(table) ?? new Map()];
    const change = { table, before: beyond(left, right), after: beyond(right, left) };
    return change.before.length + change.after.length === 0 ? [] : [change];
  });
}

function ChangedRows({ table, before, after }: TableChange) {
  const columns = Object.keys(before[0] ?? after[0] ?? {});
  const rows = [
    ...before.slice(0, MAX_LISTED).map((row) => ({ sign: '−', kind: 'removed', row })),
    ...after.slice(0, MAX_LISTED).map((row) => ({ sign: '+', kind: 'added', row })),
  ];
  return (
    <>
      <h3>
        <code>{table}</code>
      </h3>
      <Table label={`Changed rows of ${table}`} columns={['change', ...columns]}>
        {rows.map(({ sign, kind, row }, index) => (
          <tr key={index} class={kind}>
            <th scope="row">
              {sign} {kind === 'added' ? 'after' : 'before'}
            </th>
            {columns.map((column) => (
              <td key={column}>{String(row[column] ?? '–')}</td>
            ))}
          </tr>
        ))}
      </Table>
      {Math.max(before.length, after.length) > MAX_LISTED && (
        <p class="note">
          The first {MAX_LISTED} of {before.length} rows before and {after.length} after.
        </p>
      )}
    </>
  );
}

const Changes = ({ changes }: { changes: readonly TableChange[] }) =>
  changes.length === 0 ? (
    <p>No row changed.</p>
  ) : (
    <div>
      {changes.map((change) => (
        <ChangedRows key={change.table} {...change} />
      ))}
    </div>
  );

/** Returns the sections of what a rollout changed in its database, as a whole and with each tool call. */
async function databaseSections({ store, id, row }: ViewedUnit): Promise<Section[]> {
  const { database: end, rollout_id: rollout } = row ?? {};
  if (typeof end !== 'string' || typeof rollout !== 'string') return [];
  const [base, after] = await Promise.all([store.read(baseKey(id)), store.read(end)]);
  if (base === null || after === null) return [];
  const seeded = await tablesOf(base);
  const whole = databaseChanges(seeded, await tablesOf(after));
  const writes: VNode[] = [];
  let before = seeded;
  for await (const { number, tool, ok, bytes } of versionsOf(store, { row: id, rollout, base })) {
    if (writes.length === MAX_WRITES) break;
    const tables = await tablesOf(bytes);
    writes.push(
      <details key={number} open={writes.length === 0}>
        <summary>
          Tool call {number}: <code>{tool}</code>
          {!ok && ', which failed'}
        </summary>
        <Changes changes={databaseChanges(before, tables)} />
      </details>,
    );
    before = tables;
  }
  return [
    {
      id: 'database',
      title: 'Database',
      heading: 'Rows of the database before and after',
      content: <Changes changes={whole} />,
    },
    ...(writes.length < 2
      ? []
      : [{ id: 'writes', title: 'Writes', heading: 'The same, write by write', content: <>{writes}</> }]),
  ];
}

const liveRows = (store: ArtifactStore) => ({
  below: `${rolloutsFolder()}/`,
  read: async (key: string): Promise<LiveRow[]> => {
    const result = await readJson<StoredResult>(store, key);
    return result === null ? [] : [{ place: 0, row: result.row }];
  },
});

async function* planned(store: ArtifactStore): AsyncGenerator<{ id: string; trial: number }> {
  const config = (await readStoredConfig(store)) as { rollouts?: number } | null;
  for (const key of await keysBelow(store, 'rows/'))
    for (let trial = 0; trial < (config?.rollouts ?? 1); trial++)
      yield { id: key.slice('rows/'.length, -'.json'.length), trial };
}

/** Returns the id of the workflow of a rollout. */
const workflowOf = (experiment: string, { id, trial }: Pick<ViewedUnit, 'id' | 'trial'>) =>
  `${experiment}/${id}/${trial}`;

export const agentEvalView: KindView<AgentEvalMetrics, RolloutRow> = {
  unit: 'rollout',
  outcomeOf: agentEvalComparison.outcomeOf,
  report: agentEvalReport,
  liveRows,
  planned,
  waits: async (client, experiment, unit) => {
    const handle = client.workflow.getHandle(workflowOf(experiment, unit));
    return (await askProgress<RolloutProgress>(handle, QUERY_TIMEOUT))?.waiting === true;
  },
  reply: async (client, experiment, unit, text) => {
    await takeUpdate(client.workflow.getHandle(workflowOf(experiment, unit)), REPLY, text);
  },
  unitSections: databaseSections,
};
