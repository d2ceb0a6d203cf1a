import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowHandle } from '@temporalio/client';
import { changedSince } from '../activities/code-changes.js';
import { type AskedEvolution, evolveConfigOf, evolveInputOf } from '../activities/evolve/evolve-config.js';
import { chooseEvolveFolder } from '../activities/evolve/evolve-folder.js';
import { ownScorerOf } from '../activities/own-code.js';
import { InvalidInputError } from '../config/errors.js';
import { firstEvolveDifference } from '../config/evolve-fingerprint.js';
import type { EvolveConfig } from '../config/evolve-schema.js';
import { modelNameOf } from '../config/model-name.js';
import { paceChange } from '../config/pacing.js';
import type { JsonObject } from '../contracts/json.js';
import { WORKFLOW_TYPES } from '../contracts/names.js';
import { openStore } from '../storage/open.js';
import { experimentFolderName } from '../storage/paths.js';
import { inProgress, startedWith } from './in-progress.js';
import { permitTyped } from './permissions.js';
import { setPace } from './set-pace.js';

export interface StartedEvolution {
  /** The workflow's id: the experiment's name. */
  id: string;
  handle: WorkflowHandle;
  how: 'started' | 'attached';
  /** How many iterations the one in progress goes to, where that is not what was asked for. */
  iterations: number | null;
  /** Files of the user's own scorer that are not as they were when it began, or was last continued. */
  changed: string[];
  /** How much it does at once from now on, where that was changed; null where it was not. */
  concurrency: number | null;
}

/** Tries that find another command's start in their way; more than one would be a wonder. */
const ATTEMPTS = 5;

/** The first field in which the experiment in progress differs; null where it is the same, or is known by a path only. */
function differenceOf(running: JsonObject, asked: AskedEvolution): string | null {
  if (!('scaffolder' in running)) return null;
  const { fork: askedFork = null, ...config } = evolveInputOf(asked);
  const { fork: runningFork = null, ...runningConfig } = running;
  if (JSON.stringify(askedFork) !== JSON.stringify(runningFork)) return 'fork';
  return firstEvolveDifference(runningConfig as unknown as EvolveConfig, config as unknown as EvolveConfig);
}

/** How far it goes may differ: that is told. */
const PACE = {
  concurrency: 'evolution.concurrency',
  free: ['name', 'evolution.num_iterations'],
} as const;

function withoutFork({ fork: _fork, ...config }: JsonObject): JsonObject {
  return config;
}

/** What of its scorer is not as the experiment in progress has noted it. */
async function changedScorer({ config, fork }: AskedEvolution): Promise<string[]> {
  const results = openStore(config.output.results_dir);
  const { experiment } = await chooseEvolveFolder(results, config, new Date().toISOString(), { fork });
  return changedSince(results.within(experiment), ownScorerOf(config));
}

async function attach(client: Client, id: string, asked: AskedEvolution): Promise<StartedEvolution> {
  const running = await startedWith(client, id);
  const handle = client.workflow.getHandle(id);
  const difference = running === null ? null : differenceOf(running, asked);
  if (difference !== null) {
    throw new InvalidInputError(
      `the experiment ${id} is in progress with another config (${difference} differs). Wait for it, stop it with: reprise stop ${id}, or give this one a name of its own with --experiment-name`,
      difference,
    );
  }
  const concurrency =
    running === null || !('scaffolder' in running)
      ? null
      : await setPace(handle, paceChange(withoutFork(running), asked.config, PACE));
  const { num_iterations } = (running?.evolution ?? {}) as { num_iterations?: number };
  const other = num_iterations !== undefined && num_iterations !== asked.config.evolution.num_iterations;
  return {
    id,
    handle,
    how: 'attached',
    iterations: other ? num_iterations : null,
    changed: await changedScorer(asked),
    concurrency,
  };
}

/**
 * Starts an evolution, or finds the one in progress under its name. Whether it is new, or continues, extends or forks
 * another, is decided where it is prepared.
 * @throws InvalidInputError where something else is in progress under that name.
 */
export async function startEvolve(
  client: Client,
  config: AskedEvolution['config'],
  { taskQueue, fork = null }: { taskQueue: string; fork?: AskedEvolution['fork'] },
): Promise<StartedEvolution> {
  const asked = { config, fork };
  const id = experimentFolderName(config.name);
  const input = evolveInputOf(asked);
  // Also where it is in progress: its worker may have been told by nobody.
  await permitTyped(client, () => evolveConfigOf(input, id, openStore));
  for (let attempt = 1; ; attempt += 1) {
    const type = (await inProgress(client, id))?.type ?? null;
    if (type === WORKFLOW_TYPES.evolve) return attach(client, id, asked);
    if (type !== null) {
      throw new InvalidInputError(
        `name: '${id}' is the name of a ${type} in progress. Give this experiment another one with --experiment-name`,
        'name',
      );
    }
    try {
      const handle = await client.workflow.start(WORKFLOW_TYPES.evolve, {
        workflowId: id,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: `${config.name} · ${modelNameOf(config.scaffolder.lm)}`,
      });
      return { id, handle, how: 'started', iterations: null, changed: [], concurrency: null };
    } catch (error) {
      // Another command was faster by a moment.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) || attempt === ATTEMPTS) throw error;
    }
  }
}
