import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import { changedSince, type OwnCode } from '../activities/code-changes.js';
import { InvalidInputError } from '../config/errors.js';
import type { JsonObject } from '../contracts/json.js';
import type { AnyMetrics } from '../statistics/judged.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { type ConfigKind, candidateNames, foundFolder } from '../storage/experiment-folder.js';
import { openStore } from '../storage/open.js';
import { readStoredConfig } from '../storage/stored-config.js';
import { inProgress, startedWith } from './in-progress.js';
import { permitTyped } from './permissions.js';
import { setPace } from './set-pace.js';

export interface StartedRun {
  /** The workflow's and the experiment's id. */
  id: string;
  handle: WorkflowHandle;
  /** `new`, `continued` from its artifacts, or `attached` to a run in progress. */
  how: 'new' | 'continued' | 'attached';
  /** Files of the user's own code that are not as they were when it began, or was last continued. */
  changed: string[];
  /** An unfinished one of that name that stays so, and what it differs in; null where there is none. */
  left: { id: string; differs: string } | null;
  /** The newest one of that name that is done, where this one is begun anew beside it; null where there is none. */
  done: { id: string; artifacts: string; metrics: AnyMetrics } | null;
  /** How much it does at once from now on, where that was changed; null where it was not. */
  concurrency: number | null;
}

/** What is to be started: its folder has its workflow's name, and one that is unfinished is continued. */
export interface Startable<Config> {
  /** The workflow's type. */
  type: string;
  config: Config;
  kind: ConfigKind<Config>;
  /** Reads the config as a worker does, for what it names. */
  read(input: JsonObject): unknown;
  /** Whether a folder was made for the rows that the config names now. */
  holdsRows(folder: ArtifactStore, earlier: Config): Promise<boolean>;
  /** The user's own code that it works with, once the config is read. */
  code(): OwnCode;
  /** For the list of workflows in the Temporal UI. */
  summary: string;
  /** The folder that it goes on in, and no other; absent: the first one of its name that is free or unfinished. */
  folder?: string;
}

/** Whether one is in progress under an id. @throws InvalidInputError where it is another workflow. */
async function isInProgress(client: Client, id: string, type: string): Promise<boolean> {
  const running = await inProgress(client, id);
  if (running === null || running.type === type) return running !== null;
  throw new InvalidInputError(
    `name: '${id}' is the name of another workflow in progress (${running.type}); give this run one of its own with --name`,
    'name',
  );
}

/** What is known of one in progress. */
interface RunningConfigs<Config> {
  /** What it was started with, with its pace: its input, or, where that is the path of a config, the one in its folder. */
  asked: Config | null;
  /** What its folder was prepared with, which holds what the input may leave open; its input until then. */
  prepared: Config | null;
}

async function runningConfigs<Config>(
  client: Client,
  id: string,
  { isOne }: ConfigKind<Config>,
  folder: ArtifactStore,
): Promise<RunningConfigs<Config>> {
  const [input, stored] = [await startedWith(client, id), await readStoredConfig(folder)];
  const given = isOne(input) ? (input as Config) : null;
  const prepared = isOne(stored) ? (stored as Config) : null;
  return { asked: given ?? prepared, prepared: prepared ?? given };
}

async function attach<Config>(
  client: Client,
  id: string,
  { config, kind, code, holdsRows }: Startable<Config>,
  folder: ArtifactStore,
): Promise<StartedRun> {
  const { asked: running, prepared } = await runningConfigs(client, id, kind, folder);
  const differs = running === null ? null : kind.difference(running, config);
  if (differs !== null) {
    throw new InvalidInputError(
      `the run ${id} is in progress with another config (${differs} differs). Wait for it, stop it with: reprise stop ${id}, or give this one a name of its own with --name`,
      differs,
    );
  }
  if (prepared !== null && !(await holdsRows(folder, prepared))) {
    throw new InvalidInputError(
      `dataset: the run ${id} is in progress with other rows than are there now, and goes on with those. Give this one a name of its own with --name`,
      'dataset',
    );
  }
  const handle = client.workflow.getHandle(id);
  const concurrency = running === null ? null : await setPace(handle, kind.pace(running, config));
  return {
    id,
    handle,
    how: 'attached',
    changed: await changedSince(folder, code()),
    concurrency,
    left: null,
    done: null,
  };
}

/**
 * Starts a workflow, or finds the one it means: the one in progress under its name, or an unfinished one in the results
 * folder, which is continued. A finished one is never written over; the next one is called `name-2`.
 * @throws InvalidInputError where one of that name is in progress with another config.
 */
export async function startNamed<Config extends { name: string; output: { results_dir: string } }>(
  client: Client,
  asked: Startable<Config>,
  taskQueue: string,
): Promise<StartedRun> {
  const { config, type, kind, summary } = asked;
  const results = openStore(config.output.results_dir);
  const input = JSON.parse(JSON.stringify(config)) as JsonObject;
  // Also where it is in progress: its worker may have been told by nobody.
  await permitTyped(client, () => asked.read(input));
  let left: StartedRun['left'] = null;
  let done: StartedRun['done'] = null;
  for (const id of asked.folder === undefined ? candidateNames(config.name) : [asked.folder]) {
    const folder = results.within(id);
    if (await isInProgress(client, id, type)) return attach(client, id, asked, folder);
    const { state, differs, done: metrics } = await foundFolder(folder, config, kind, asked.holdsRows);
    if (state === 'taken') {
      if (differs !== null) left ??= { id, differs };
      if (metrics !== null) done = { id, artifacts: folder.uri, metrics };
      continue;
    }
    // Before it is started: then it is noted.
    const changed = state === 'absent' ? [] : await changedSince(folder, asked.code());
    try {
      const handle = await client.workflow.start(type, {
        workflowId: id,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summary,
      });
      const how = state === 'absent' ? 'new' : 'continued';
      return { id, handle, how, changed, left, done: how === 'new' ? done : null, concurrency: null };
    } catch (error) {
      // Another command was faster by a moment.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return startNamed(client, asked, taskQueue);
      throw error;
    }
  }
  const why = left === null ? 'it is done' : `${left.differs} differs`;
  throw new InvalidInputError(`${asked.folder} cannot be continued: ${why}`, left?.differs);
}
