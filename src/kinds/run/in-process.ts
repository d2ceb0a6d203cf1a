import type { ExecutionRecord } from '../../contracts/execution.js';
import type { CallRecord } from '../../contracts/language-model.js';
import type { TaskRow } from '../../contracts/results.js';
import { experimentInProcess, type InProcessOptions } from '../../in-process/experiment.js';
import type { MemorySnapshot } from '../../memory/memory-module.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { artifactKeys } from '../../storage/paths.js';
import { readJson, readRows } from '../../storage/stored-file.js';
import type { TrajectoryData } from '../../trajectories/schema.js';
import { type GivenObjects, withGiven } from './given.js';
import { NAMES } from './index.js';
import type { Metrics } from './results.js';
import type { RunConfig } from './schema.js';

export interface RunInProcessOptions extends InProcessOptions {
  /** Agent, memory and environment in the place of those that the config describes. */
  instances?: GivenObjects;
}

/** Contents of a durable run's artifacts, as values. */
export interface InProcessResult {
  /** Content of `metrics.json`. */
  metrics: Metrics;
  /** Rows of `results.jsonl`: by sample, then by trial. */
  rows: TaskRow[];
  /** Rows of `calls.jsonl`: calls of the rows in order, then those of episodes that a limit cut off. */
  calls: CallRecord[];
  /** Rows of `executions.jsonl`: programs of the rows, in order. */
  executions: ExecutionRecord[];
  /** Rows of `trajectories.jsonl`, if requested. */
  trajectories?: TrajectoryData[];
  /** Content of `memory.json`: one memory, or one for each sample. */
  memory: MemorySnapshot | { _type: 'per_sample'; memories: Record<string, MemorySnapshot> };
}

async function rowsOf<Row>(store: ArtifactStore, key: string): Promise<Row[]> {
  const rows: Row[] = [];
  if (!(await store.exists(key))) return rows;
  for await (const row of readRows<Row>(store, key)) rows.push(row);
  return rows;
}

/**
 * Runs a config in this process, as {@link experimentInProcess} does. Stores no artifact but `output.save_memory_path`:
 * the result holds what a durable run's artifacts hold, and a crash loses it. For unit tests of agents and
 * environments.
 *
 * If a limit is reached, or every further call would fail, the result holds what was done, and `metrics.status` says
 * so, as in a durable run.
 * @throws InvalidInputError for a config that cannot be run, or instances that do not fit it.
 */
export async function runInProcess(
  config: RunConfig,
  { instances = {}, ...options }: RunInProcessOptions = {},
): Promise<InProcessResult> {
  const { metrics, store } = await withGiven(config, instances, (standing) =>
    experimentInProcess(NAMES.id, standing, options),
  );
  const memory = await readJson<InProcessResult['memory']>(store, artifactKeys.memory);
  return {
    metrics: metrics as Metrics,
    rows: await rowsOf<TaskRow>(store, artifactKeys.results),
    calls: await rowsOf<CallRecord>(store, artifactKeys.calls),
    executions: await rowsOf<ExecutionRecord>(store, artifactKeys.executions),
    ...(options.trajectories === true
      ? { trajectories: await rowsOf<TrajectoryData>(store, artifactKeys.trajectories) }
      : {}),
    memory: memory as InProcessResult['memory'],
  };
}
