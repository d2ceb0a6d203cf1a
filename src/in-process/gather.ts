import type { CallRecord } from '../contracts/language-model.js';
import type { ResultRow } from '../contracts/results.js';
import { environmentName } from '../environments/registry.js';
import { buildMemory } from '../memory/factory.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import { resultRow } from '../statistics/result-row.js';
import { RunMetricsBuilder } from '../statistics/run-metrics.js';
import { experimentFolderName } from '../storage/paths.js';
import { trajectoryOf } from '../trajectories/from-episode.js';
import type { Trajectory } from '../trajectories/schema.js';
import type { LaneLoop } from './lane-loop.js';
import type { InProcessResult } from './options.js';
import type { PreparedRun } from './prepare.js';

function memoryOf({ config, tasks }: PreparedRun, loop: LaneLoop): InProcessResult['memory'] {
  if (config.runtime.memory_scope === 'run')
    return loop.sharedMemory ?? buildMemory(config.memory).snapshot();
  const memories: Record<string, MemorySnapshot> = {};
  for (const { index, id } of tasks) {
    const memory = loop.sampleMemories.get(index);
    if (memory !== undefined) memories[id] = memory;
  }
  return { _type: 'per_sample', memories };
}

/** Rows, calls and metrics as the end of a durable run makes them from its parts. */
export function gather(
  run: PreparedRun,
  loop: LaneLoop,
  { startedAt, trajectories }: { startedAt: number; trajectories: boolean },
): InProcessResult {
  const { config, tasks } = run;
  const endedAt = Date.now();
  const rows: ResultRow[] = [];
  const calls: CallRecord[] = [];
  const made: Trajectory[] = [];
  const builder = new RunMetricsBuilder(config.runtime.num_trials);
  const inOrder = loop.episodes.sort(
    ({ episode: left }, { episode: right }) => left.index - right.index || left.trial - right.trial,
  );
  for (const finished of inOrder) {
    const row = resultRow(finished.episode, finished.calls);
    builder.add(row, finished.calls);
    rows.push(row);
    calls.push(...finished.calls);
    const trajectory = trajectories ? trajectoryOf(row, finished.calls, config.seed) : null;
    if (trajectory !== null) made.push(trajectory);
  }
  for (const call of loop.caller.loose()) {
    builder.addCall(call);
    calls.push(call);
  }
  const { status, message } = loop.outcome();
  const metrics = builder.finish({
    name: config.name,
    experiment: experimentFolderName(config.name),
    status,
    status_message: message,
    model: `${config.lm.provider}/${config.lm.model}`,
    simulated: config.lm.provider === 'simulated',
    agent: config.agent.type,
    seed: config.seed,
    feedback_in_memory: config.agent.feedback ?? 'full',
    samples_planned: tasks.length,
    wall_seconds: (endedAt - startedAt) / 1000,
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    num_trials: config.runtime.num_trials,
    environment: environmentName(config.dataset),
  });
  return {
    metrics,
    rows,
    calls,
    ...(trajectories ? { trajectories: made } : {}),
    memory: memoryOf(run, loop),
  };
}
