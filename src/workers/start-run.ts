import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { InvalidInputError } from '../config/errors.js';
import { firstDifference } from '../config/fingerprint.js';
import type { RunConfig } from '../config/schema.js';
import type { JsonObject } from '../contracts/json.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { candidateNames, folderState } from '../storage/experiment-folder.js';
import { openStore } from '../storage/open.js';

export interface StartedRun {
  /** The workflow's and the experiment's id. */
  id: string;
  handle: WorkflowHandle;
  /** `new`, `continued` from its artifacts, or `attached` to a run in progress. */
  how: 'new' | 'continued' | 'attached';
}

/** The config of the run in progress under an id; null where none is. */
async function runningConfig(client: Client, id: string): Promise<RunConfig | null> {
  const handle = client.workflow.getHandle(id);
  try {
    const description = await handle.describe();
    if (description.status.name !== 'RUNNING' || description.type !== WORKFLOW_TYPES.run) return null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
  const { events } = await handle.fetchHistory();
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const data = payloads[0]?.data;
  const metadata = payloads[0]?.metadata?.encoding;
  const isJson = metadata != null && Buffer.from(metadata).toString() === 'json/plain';
  return data != null && isJson ? (JSON.parse(Buffer.from(data).toString()) as RunConfig) : null;
}

function attach(client: Client, id: string, running: RunConfig, config: RunConfig): StartedRun {
  const isWhole = typeof running.runtime === 'object' && typeof running.dataset === 'object';
  const difference = isWhole ? firstDifference(running, config) : null;
  if (difference !== null) {
    throw new InvalidInputError(
      `the run ${id} is in progress with another config (${difference} differs). Wait for it, stop it with: reprise stop ${id}, or give this one a name of its own with --name`,
      difference,
    );
  }
  return { id, handle: client.workflow.getHandle(id), how: 'attached' };
}

/**
 * Starts a run, or finds the one it means: the run in progress under its name, or an unfinished one in the results
 * folder, which is continued. A finished run is never written over; the next one is called `name-2`.
 * @throws InvalidInputError where a run of that name is in progress with another config.
 */
export async function startRun(client: Client, config: RunConfig, taskQueue: string): Promise<StartedRun> {
  const results = openStore(config.output.results_dir);
  for (const id of candidateNames(config.name)) {
    const running = await runningConfig(client, id);
    if (running !== null) return attach(client, id, running, config);
    const state = await folderState(results.within(id), config);
    if (state === 'taken') continue;
    try {
      const handle = await client.workflow.start(WORKFLOW_TYPES.run, {
        workflowId: id,
        taskQueue,
        args: [JSON.parse(JSON.stringify(config)) as JsonObject],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: `${config.name} · ${config.lm.provider}/${config.lm.model}`,
      });
      return { id, handle, how: state === 'absent' ? 'new' : 'continued' };
    } catch (error) {
      // Another command was faster by a moment.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return startRun(client, config, taskQueue);
      throw error;
    }
  }
  throw new Error('unreachable: there are endlessly many names');
}
