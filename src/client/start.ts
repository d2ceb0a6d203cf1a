import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import { optionOf } from '../config/flags.js';
import { configOf } from '../config/load.js';
import { modelNameOf } from '../config/model-name.js';
import { firstDifference, isWhole, type PaceChange, paceChange } from '../config/pacing.js';
import type { JsonObject } from '../contracts/json.js';
import { UPDATES } from '../contracts/names.js';
import type { Kind } from '../kinds/kind.js';
import type { Done, FoundExperiment, Left } from '../storage/experiment-folder.js';
import { THE_ROWS } from '../storage/experiment-folder.js';
import { changedSince } from '../user-code/code-file.js';
import { permitTyped } from '../workers/permissions.js';
import { inProgress, startedWith } from './in-progress.js';

/** Experiment of any kind that was started or found. */
export interface Started<Config = object> {
  /** ID of the workflow. */
  id: string;
  handle: WorkflowHandle;
  /** `continued` from its artifacts, or `attached` to one in progress. */
  how: 'started' | 'continued' | 'attached';
  /** Files of the user's code that have changed since it began or was last continued. */
  changed: string[];
  /** Unfinished experiment of this name that is not continued; null if there is none. */
  left: Left | null;
  /** Newest finished experiment of this name, if a new one is started besides it; null if there is none. */
  done: Done | null;
  /** New concurrency; null if it was not changed. */
  concurrency: number | null;
  /** Config of the one in progress; null if this command started it, or it is unknown. */
  running: Config | null;
}

export interface ClientStartOptions {
  taskQueue: string;
  /** Only ID to use; absent: the first one of its name that is free or unfinished. */
  only?: string;
}

/** Maximum attempts when another command starts one at the same time; a second attempt is very unlikely. */
const ATTEMPTS = 5;

/** Returns the option that names an experiment, if its kind has names. */
function nameOption({ config: { flags } }: Kind): string | null {
  return flags.name === undefined ? null : optionOf(flags.name);
}

/** Reports whether one is in progress with an ID. @throws InvalidInputError if it is another workflow. */
async function isInProgress(client: Client, kind: Kind, id: string): Promise<boolean> {
  const running = await inProgress(client, id);
  if (running === null || running.type === kind.config.id) return running !== null;
  const option = nameOption(kind);
  const wayOut = option === null ? '' : `; give this one a name of its own with ${option}`;
  throw new InvalidInputError(
    `name: '${id}' is the name of another workflow in progress (${running.type})${wayOut}`,
    'name',
  );
}

const shown = (value: unknown) => (value == null ? 'none' : JSON.stringify(value));

/**
 * Sets the concurrency of an experiment in progress to the value of a command.
 * @returns the new value; null if it is unchanged.
 * @throws InvalidInputError that names another field that differs: it cannot be changed in progress.
 */
async function setPace(handle: WorkflowHandle, { concurrency, fixed }: PaceChange): Promise<number | null> {
  if (fixed !== null) {
    const { field, was, asked } = fixed;
    throw new InvalidInputError(
      `${field}: ${handle.workflowId} is in progress with ${shown(was)}, not ${shown(asked)}, and continues so. Stop it with: reprise stop ${handle.workflowId}, and give the command again: it continues with the new value then`,
      field,
    );
  }
  if (concurrency !== null) await handle.signal(UPDATES.setConcurrency, concurrency);
  return concurrency;
}

/** Returns the code files that have changed since an experiment noted them. */
async function changedCode<Config extends object>(
  kind: Kind<Config>,
  config: Config,
  { store }: FoundExperiment<Config>,
): Promise<string[]> {
  return kind.code === undefined ? [] : changedSince(store, await kind.code(config));
}

/**
 * Attaches to an experiment in progress, and changes its concurrency if requested.
 * @throws InvalidInputError if another field differs.
 */
async function attach<Config extends object>(
  client: Client,
  kind: Kind<Config>,
  id: string,
  config: Config,
): Promise<Started<Config>> {
  const [input, found] = [await startedWith(client, id), await kind.find(id, config)];
  // If its input is the path of a config, the config that its folder was prepared with.
  const running = isWhole(kind.config, input) ? input : found.earlier;
  const differs = running === null ? null : firstDifference(kind.config, running, config);
  const option = nameOption(kind);
  if (differs !== null) {
    const ownName = option === null ? '' : `, or give this one a name of its own with ${option}`;
    throw new InvalidInputError(
      `${id} is in progress with another config (${differs} differs). Wait for it, or stop it with: reprise stop ${id}${ownName}`,
      differs,
    );
  }
  if (found.left?.id === id && found.left.differs === THE_ROWS) {
    const { rows } = kind.config;
    const ownName = option === null ? '' : `. Give this one a name of its own with ${option}`;
    throw new InvalidInputError(
      `${rows}: ${id} is in progress with other rows than are there now, and continues with those${ownName}`,
      rows,
    );
  }
  const handle = client.workflow.getHandle(id);
  const concurrency =
    running === null ? null : await setPace(handle, paceChange(kind.config, running, config));
  const changed = await changedCode(kind, config, found);
  return { id, handle, how: 'attached', changed, left: null, done: null, concurrency, running };
}

/** Finds the experiment of a config, or starts it. @returns null if another command started it at the same time */
async function tryStart<Config extends object>(
  client: Client,
  kind: Kind<Config>,
  config: Config,
  { taskQueue, only }: ClientStartOptions,
): Promise<Started<Config> | null> {
  let left: Left | null = null;
  let done: Done | null = null;
  for (const id of only === undefined ? kind.ids(config) : [only]) {
    if (await isInProgress(client, kind, id)) return attach(client, kind, id, config);
    const found = await kind.find(id, config);
    left ??= found.left;
    done = found.done ?? done;
    if (found.state === 'taken') continue;
    const how = found.state === 'absent' ? 'started' : 'continued';
    // Checked before the start, which notes the new code.
    const changed = how === 'started' ? [] : await changedCode(kind, config, found);
    const models = Object.values(kind.config.modelsOf(config)).slice(0, 1);
    try {
      const handle = await client.workflow.start(kind.config.id, {
        workflowId: id,
        taskQueue,
        args: [JSON.parse(JSON.stringify(config)) as JsonObject],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: [kind.title(config), ...models.map(modelNameOf)].join(' · '),
      });
      const beside = how === 'started' ? done : null;
      return { id, handle, how, changed, left, done: beside, concurrency: null, running: null };
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
      throw error;
    }
  }
  const why = left === null ? 'it is done' : `${left.differs} differs`;
  throw new InvalidInputError(`${only} cannot be continued: ${why}`, left?.differs);
}

/**
 * Starts an experiment of any kind, or finds the one of its config: the one in progress with its name, or an unfinished
 * one, which is continued. A finished one is never overwritten.
 * @throws InvalidInputError if one of this name is in progress with another config.
 */
export async function startExperiment<Config extends object>(
  client: Client,
  kind: Kind<Config>,
  config: Config,
  options: ClientStartOptions,
): Promise<Started<Config>> {
  // Also if it is in progress: its worker may not have the permissions yet.
  await permitTyped(client, async () => {
    const input = JSON.parse(JSON.stringify(config)) as JsonObject;
    const read = await configOf(kind.config, input, options.only ?? '');
    await kind.read?.(read);
  });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const started = await tryStart(client, kind, config, options);
    if (started !== null) return started;
  }
  throw new Error('other commands were faster each time; give the command again');
}
