import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import type { JsonObject } from '../contracts/json.js';
import { type ConfigKind, candidateNames, folderState } from '../storage/experiment-folder.js';
import { openStore } from '../storage/open.js';
import { inProgress, startedWith } from './in-progress.js';
import { permitTyped } from './permissions.js';

export interface StartedRun {
  /** The workflow's and the experiment's id. */
  id: string;
  handle: WorkflowHandle;
  /** `new`, `continued` from its artifacts, or `attached` to a run in progress. */
  how: 'new' | 'continued' | 'attached';
}

/** What is to be started: its folder has its workflow's name, and one that is unfinished is continued. */
export interface Startable<Config> {
  /** The workflow's type. */
  type: string;
  config: Config;
  kind: ConfigKind<Config>;
  /** Reads the config as a worker does, for what it names. */
  read(input: JsonObject): unknown;
  /** For the list of workflows in the Temporal UI. */
  summary: string;
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

async function attach<Config>(
  client: Client,
  id: string,
  { config, kind }: Startable<Config>,
): Promise<StartedRun> {
  const running = await startedWith(client, id);
  // It may have been started with the path of one.
  const differs = kind.isOne(running) ? kind.difference(running as Config, config) : null;
  if (differs !== null) {
    throw new InvalidInputError(
      `the run ${id} is in progress with another config (${differs} differs). Wait for it, stop it with: reprise stop ${id}, or give this one a name of its own with --name`,
      differs,
    );
  }
  return { id, handle: client.workflow.getHandle(id), how: 'attached' };
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
  for (const id of candidateNames(config.name)) {
    if (await isInProgress(client, id, type)) return attach(client, id, asked);
    const state = await folderState(results.within(id), config, kind);
    if (state === 'taken') continue;
    try {
      const handle = await client.workflow.start(type, {
        workflowId: id,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: summary,
      });
      return { id, handle, how: state === 'absent' ? 'new' : 'continued' };
    } catch (error) {
      // Another command was faster by a moment.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return startNamed(client, asked, taskQueue);
      throw error;
    }
  }
  throw new Error('unreachable: there are endlessly many names');
}
