import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import { optionOf } from '../config/flags.js';
import { configOf } from '../config/load.js';
import { modelNameOf } from '../config/model-name.js';
import { differenceOf, isWhole, type PaceChange, paceChange } from '../config/pacing.js';
import type { JsonObject } from '../contracts/json.js';
import { UPDATES } from '../contracts/names.js';
import type { Kind } from '../kinds/kind.js';
import type { Done, Found, Left } from '../storage/experiment-folder.js';
import { THE_ROWS } from '../storage/experiment-folder.js';
import { changedSince } from '../user-code/code-file.js';
import { permitTyped } from '../workers/permissions.js';
import { inProgress, startedWith } from './in-progress.js';

/** An experiment of any kind that was started, or found. */
export interface Started<Config = object> {
  /** The workflow's id. */
  id: string;
  handle: WorkflowHandle;
  /** `continued` from its artifacts, or `attached` to where it is in progress. */
  how: 'started' | 'continued' | 'attached';
  /** Files of the user's own code that are not as they were when it began, or was last continued. */
  changed: string[];
  /** An unfinished one of that name that stays so; null where there is none. */
  left: Left | null;
  /** The newest one of that name that is finished, where this one is begun anew beside it; null where there is none. */
  done: Done | null;
  /** How much it does at once from now on, where that was changed; null where it was not. */
  concurrency: number | null;
  /** What the one in progress was begun with; null where this command began it, or that is not known. */
  running: Config | null;
}

interface StartOptions {
  taskQueue: string;
  /** The id that it continues under, and no other; absent: the first one of its name that is free or unfinished. */
  only?: string;
}

/** Tries that find another command's start in their way; more than one would be a wonder. */
const ATTEMPTS = 5;

/** Says how an experiment gets a name of its own, where its kind has names. */
function nameOption({ config: { flags } }: Kind): string | null {
  return flags.name === undefined ? null : optionOf(flags.name);
}

/** Whether one is in progress under an id. @throws InvalidInputError where it is another workflow. */
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
 * Gives an experiment in progress the concurrency that a command asks for.
 * @returns it; null where it is as it was begun.
 * @throws InvalidInputError that names what else differs: that holds as it was begun.
 */
async function setPace(handle: WorkflowHandle, { concurrency, fixed }: PaceChange): Promise<number | null> {
  if (fixed !== null) {
    const { field, was, asked } = fixed;
    throw new InvalidInputError(
      `${field}: ${handle.workflowId} is in progress with ${shown(was)}, not ${shown(asked)}, and goes on so. Stop it with: reprise stop ${handle.workflowId}, and give the command again: it goes on with the new value then`,
      field,
    );
  }
  if (concurrency !== null) await handle.signal(UPDATES.setConcurrency, concurrency);
  return concurrency;
}

/** The code that has changed since an experiment noted it. */
async function changedCode<Config extends object>(
  kind: Kind<Config>,
  config: Config,
  { store }: Found<Config>,
): Promise<string[]> {
  return kind.code === undefined ? [] : changedSince(store, await kind.code(config));
}

/**
 * Attaches to an experiment in progress, and gives it another pace where that is asked for.
 * @throws InvalidInputError where it asks for something else.
 */
async function attach<Config extends object>(
  client: Client,
  kind: Kind<Config>,
  id: string,
  config: Config,
): Promise<Started<Config>> {
  const [input, found] = [await startedWith(client, id), await kind.find(id, config)];
  // Where its input is the path of a config, what its folder was prepared with.
  const running = isWhole(kind.config, input) ? input : found.earlier;
  const differs = running === null ? null : differenceOf(kind.config, running, config);
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
      `${rows}: ${id} is in progress with other rows than are there now, and goes on with those${ownName}`,
      rows,
    );
  }
  const handle = client.workflow.getHandle(id);
  const concurrency =
    running === null ? null : await setPace(handle, paceChange(kind.config, running, config));
  const changed = await changedCode(kind, config, found);
  return { id, handle, how: 'attached', changed, left: null, done: null, concurrency, running };
}

/** Finds the experiment that a config means, or starts it. @returns null where another command was faster by a moment */
async function tryStart<Config extends object>(
  client: Client,
  kind: Kind<Config>,
  config: Config,
  { taskQueue, only }: StartOptions,
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
    // Before it is started: then it is noted.
    const changed = how === 'started' ? [] : await changedCode(kind, config, found);
    const models = Object.values(kind.config.models(config)).slice(0, 1);
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
 * Starts an experiment of any kind, or finds the one that its config means: the one in progress under its name, or an
 * unfinished one, which is continued. A finished one is never written over.
 * @throws InvalidInputError where one of that name is in progress with another config.
 */
export async function startExperiment<Config extends object>(
  client: Client,
  kind: Kind<Config>,
  config: Config,
  options: StartOptions,
): Promise<Started<Config>> {
  // Also where it is in progress: its worker may have been told by nobody.
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
