import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import { experimentOf, judgementName } from '../activities/judge/judge-folder.js';
import { InvalidInputError } from '../config/errors.js';
import { resolveJudgeConfig } from '../config/judge-load.js';
import type { JudgeConfig } from '../config/judge-schema.js';
import { modelNameOf } from '../config/model-name.js';
import { paceChange } from '../config/pacing.js';
import { THE_INPUT } from '../config/read-config.js';
import type { JsonObject } from '../contracts/json.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { judgementPrefix } from '../storage/paths.js';
import { inProgress, startedWith } from './in-progress.js';
import { permitTyped } from './permissions.js';
import { setPace } from './set-pace.js';

export interface StartedJudgement {
  /** The workflow's id: the judgement's folder, from the experiment's name on. */
  id: string;
  handle: WorkflowHandle;
  how: 'started' | 'attached';
  /** How much it does at once from now on, where that was changed; null where it was not. */
  concurrency: number | null;
}

/** The note on a workflow that says which experiment it judges: one of the same name may be elsewhere. */
const EXPERIMENT_MEMO = 'experiment';

async function runningExperiment(client: Client, id: string): Promise<string | null> {
  const running = await inProgress(client, id);
  return running === null ? null : String(running.memo?.[EXPERIMENT_MEMO] ?? '');
}

/**
 * Starts a judgement, or finds the one in progress: its id says by whom and by which rubric, so what differs is at most
 * the pace. One that has ended is gone on from where it is prepared.
 * @throws InvalidInputError where an experiment of the same name in another folder is being judged in the same way.
 */
export async function startJudge(
  client: Client,
  config: JudgeConfig,
  taskQueue: string,
): Promise<StartedJudgement> {
  const { experiment, rubric, lm } = config;
  const id = `${experimentOf(config)}/${judgementPrefix(judgementName(config))}`;
  const input = JSON.parse(JSON.stringify(config)) as JsonObject;
  // Also where it is in progress: its worker may have been told by nobody.
  await permitTyped(client, () => resolveJudgeConfig(input, { source: THE_INPUT, folder: process.cwd() }));
  const running = await runningExperiment(client, id);
  // One that something else has started has no note, and can only be asked by its id.
  if (running === experiment || running === '') {
    const handle = client.workflow.getHandle(id);
    const begun = await startedWith(client, id);
    const isWhole = begun !== null && 'rubric' in begun && 'lm' in begun;
    const pace = isWhole ? paceChange(begun, input, { concurrency: 'concurrency', free: [] }) : null;
    const concurrency = pace === null ? null : await setPace(handle, pace);
    return { id, handle, how: 'attached', concurrency };
  }
  if (running !== null) {
    throw new InvalidInputError(
      `experiment: ${running}, which has the same name, is being judged in the same way right now. Wait for it, or stop it with: reprise stop ${id}`,
      'experiment',
    );
  }
  try {
    const handle = await client.workflow.start(WORKFLOW_TYPES.judge, {
      workflowId: id,
      taskQueue,
      args: [input],
      workflowIdConflictPolicy: 'FAIL',
      memo: { [EXPERIMENT_MEMO]: experiment },
      staticSummary: `${rubric.name} · ${modelNameOf(lm)}`,
    });
    return { id, handle, how: 'started', concurrency: null };
  } catch (error) {
    // Another command was faster by a moment.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return startJudge(client, config, taskQueue);
    throw error;
  }
}
