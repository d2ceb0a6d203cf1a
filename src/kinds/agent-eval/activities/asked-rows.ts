import { closestWord, InvalidInputError } from '../../../config/errors.js';
import { codeNow } from '../../../user-code/code.js';
import type { OwnCode } from '../../../user-code/code-file.js';
import type { StoredRow } from '../bundle-code.js';
import { type ModuleTrial, modulesOf } from '../bundles/bundle-modules.js';
import { loadBundle } from '../bundles/load.js';
import type { ToolRegistry } from '../bundles/tool-registry.js';
import type { AgentEvalConfig } from '../schema.js';

/** Maximum number of names that a message lists. */
const MAX_NAMES = 5;

interface FoundRow extends StoredRow {
  file: string;
  registry: ToolRegistry;
}

/**
 * Loads the rows that a config selects, in the order of its `rows` or else of its datasets. Checks their tools and
 * rewards by loading these too.
 * @param now ISO 8601: present time of rows that name none.
 * @param trial runs on each module before it is loaded here.
 * @throws BundleError for faults of a bundle, InvalidInputError for faults in the choice of rows.
 */
export async function askedRows(
  config: AgentEvalConfig,
  now: string,
  trial?: ModuleTrial,
): Promise<StoredRow[]> {
  const found = new Map<string, FoundRow>();
  for (const dataset of config.datasets) {
    const { rows, folder, file } = await loadBundle(dataset, { now, trial });
    for (const { row, registry } of rows) add(found, { row, registry, folder, file });
  }
  const named = config.rows === null ? [...found.values()] : chosen(config.rows, found);
  const asked = named.slice(0, config.max_rows ?? named.length);
  if (config.models.user === null) refuseUsers(asked);
  refuseSharedReplies(asked, config);
  for (const row of asked) refuseLikeNames(row);
  return asked.map(({ row, folder }) => ({ row, folder }));
}

/** Lists the modules that rows run, and those that these import from their bundle. */
export function bundleCode(rows: readonly StoredRow[]): OwnCode {
  const folders = [...new Set(rows.map(({ folder }) => folder))];
  const modules = new Set(rows.flatMap(({ row, folder }) => modulesOf(row, folder)));
  return { paths: [...codeNow([...modules]).texts.keys()], folders };
}

function add(found: Map<string, FoundRow>, row: FoundRow): void {
  const { id } = row.row;
  const first = found.get(id);
  if (first !== undefined) {
    throw new InvalidInputError(
      `datasets: the row '${id}' is in ${first.file} and in ${row.file}; an id names a folder, so give one of them another`,
      'datasets',
    );
  }
  found.set(id, row);
}

function chosen(ids: readonly string[], found: ReadonlyMap<string, FoundRow>): FoundRow[] {
  const known = [...found.keys()];
  return [...new Set(ids)].map((id) => {
    const row = found.get(id);
    if (row !== undefined) return row;
    const guess = closestWord(id, known);
    const hint = guess === null ? `there are ${listed(known)}` : `did you mean '${guess}'?`;
    throw new InvalidInputError(`rows: there is no row '${id}'; ${hint}`, 'rows');
  });
}

function refuseUsers(rows: readonly FoundRow[]): void {
  const waiting = rows.filter(({ row }) => row.sim_user_prompt !== null).map(({ row }) => row.id);
  if (waiting.length === 0) return;
  throw new InvalidInputError(
    `models.user: nobody answers in the rows with a sim_user_prompt (${listed(waiting)}); name a model, or human`,
    'user',
  );
}

/** Refuses a cache from which the rollouts of a row would get each other's replies: all of them would be the first. */
function refuseSharedReplies(rows: readonly FoundRow[], { models, rollouts }: AgentEvalConfig): void {
  for (const [role, model] of Object.entries(models)) {
    if (model === null || model === 'human' || model.cache !== true) continue;
    const asking = role === 'user' ? rows.filter(({ row }) => row.sim_user_prompt !== null) : rows;
    const several = asking.map(({ row }) => rollouts ?? row.n_rollouts).find((count) => count > 1);
    if (several === undefined) continue;
    throw new InvalidInputError(
      `models.${role}.cache: with the cache, all ${several} rollouts of a row would get the replies of the first one; set it to runs, or to false`,
      `models.${role}.cache`,
    );
  }
}

/** Refuses tools whose names differ only in case, - and _, because models confuse them. */
function refuseLikeNames({ row, registry }: FoundRow): void {
  const offered = registry.toToolDefinitions(row.tools_allowed).map(({ name }) => name);
  const taken = new Map<string, string>();
  for (const name of offered) {
    const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
    const other = taken.get(plain);
    if (other !== undefined) {
      throw new InvalidInputError(
        `datasets: the tools ${other} and ${name} of ${registry.name} are named alike (${row.id}); rename one of them`,
        'datasets',
      );
    }
    taken.set(plain, name);
  }
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
