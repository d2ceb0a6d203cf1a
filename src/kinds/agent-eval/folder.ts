import { createHash } from 'node:crypto';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { forEachConcurrently } from '../../storage/byte-streams.js';
import type { FoundExperiment } from '../../storage/experiment-folder.js';
import { chooseFolder, foundFolder } from '../../storage/experiment-folder.js';
import { writeStoredConfig } from '../../storage/stored-config.js';
import { parseJson } from '../../storage/stored-file.js';
import { planKey } from '../run/paths.js';
import type { StoredRow } from './bundle-code.js';
import { agentEvalConfigs } from './config.js';
import { bundleRowKey } from './paths.js';
import type { AgentEvalConfig } from './schema.js';

/** Rows that are written concurrently; with their seeds they may be large. */
const ROWS_AT_ONCE = 16;

/** Folder of an evaluation, with its config and rows. */
export interface AgentEvalFolder {
  /** Name of the folder. */
  experiment: string;
  state: 'absent' | 'unfinished';
  /** The config with the present time of this folder. */
  config: AgentEvalConfig;
  rows: StoredRow[];
}

/** Rows that the folder was made for. */
interface StoredRows {
  rows: { id: string; sha256: string }[];
}

function rowsOf(rows: readonly StoredRow[]): StoredRows {
  const hashed = (row: StoredRow) => createHash('sha256').update(JSON.stringify(row)).digest('hex');
  return { rows: rows.map((stored) => ({ id: stored.row.id, sha256: hashed(stored) })) };
}

/**
 * Determines the state of a folder for an evaluation.
 * @param begun ISO 8601: present time of a new evaluation whose config names none.
 * @param load loads the rows for a present time.
 */
export function foundAgentEval(
  store: ArtifactStore,
  { id, config, begun }: { id: string; config: AgentEvalConfig; begun: string },
  load: (now: string) => Promise<StoredRow[]>,
): Promise<FoundExperiment<AgentEvalConfig>> {
  return foundFolder(store, id, config, agentEvalConfigs, async (earlier) =>
    holdsRows(store, await load(config.now ?? earlier.now ?? begun)),
  );
}

/**
 * Chooses the folder. An unfinished evaluation of the same config and rows is continued, with the present time that it
 * began with; a finished one is never overwritten.
 * @param begun, load: see {@link foundAgentEval}
 */
export async function chooseAgentEvalFolder(
  results: ArtifactStore,
  { name, config, begun }: { name: string; config: AgentEvalConfig; begun: string },
  load: (now: string) => Promise<StoredRow[]>,
): Promise<AgentEvalFolder> {
  const { experiment, state, earlier } = await chooseFolder(name, (id) =>
    foundAgentEval(results.within(id), { id, config, begun }, load),
  );
  const now = config.now ?? earlier?.now ?? begun;
  return { experiment, state, config: { ...config, now }, rows: await load(now) };
}

/** Reports whether a folder is for these rows. It is if an attempt was interrupted before it wrote any. */
export async function holdsRows(store: ArtifactStore, rows: readonly StoredRow[]): Promise<boolean> {
  const text = await store.readText(planKey());
  if (text === null || text === JSON.stringify(rowsOf(rows))) return true;
  parseJson(text, store, planKey());
  return false;
}

/** Writes copies of rows and config, so that workers do not need the dataset. The config is written last. */
export async function writeAgentEvalFolder(
  store: ArtifactStore,
  { config, rows }: AgentEvalFolder,
): Promise<void> {
  await forEachConcurrently(rows, ROWS_AT_ONCE, async (stored) => {
    await store.write(bundleRowKey(stored.row.id), JSON.stringify(stored));
  });
  await store.write(planKey(), JSON.stringify(rowsOf(rows)));
  await writeStoredConfig(store, config);
}
