import { orIncomplete, recordedSamples } from '../activities/incomplete.js';
import { factsOfLoaded, loadedParts } from '../activities/memory-file.js';
import { runFacts } from '../activities/run-facts.js';
import type { Task } from '../contracts/environment.js';
import type { ExecutionRecord } from '../contracts/execution.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { TaskRow } from '../contracts/results.js';
import { buildMemory } from '../memory/factory.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import { isJournaled, savedMemory } from '../memory/saved.js';
import { resultRow, withTask } from '../statistics/result-row.js';
import { RunMetricsBuilder } from '../statistics/run-metrics.js';
import { experimentFolderName } from '../storage/paths.js';
import { trajectoryOf } from '../trajectories/from-episode.js';
import type { TrajectoryData } from '../trajectories/schema.js';
import type { LaneLoop } from './lane-loop.js';
import type { InProcessResult } from './options.js';
import type { PreparedRun } from './prepare.js';

/** The memory of a run that began no sample. */
function initialMemory({ config: { memory }, loaded }: PreparedRun): MemorySnapshot {
  return isJournaled(memory._type)
    ? savedMemory(memory._type, loadedParts(memory, loaded, ''))
    : buildMemory(memory).snapshot();
}

function memoryOf(run: PreparedRun, loop: LaneLoop): InProcessResult['memory'] {
  const { config, tasks } = run;
  if (config.runtime.memory_scope === 'run') return loop.sharedMemory ?? initialMemory(run);
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
  const rows: TaskRow[] = [];
  const calls: CallRecord[] = [];
  const executions: ExecutionRecord[] = [];
  const made: TrajectoryData[] = [];
  const builder = new RunMetricsBuilder(config.runtime.num_trials);
  const inOrder = loop.episodes.sort(
    ({ episode: left }, { episode: right }) => left.index - right.index || left.trial - right.trial,
  );
  for (const finished of inOrder) {
    const row = resultRow(finished.episode, finished.calls);
    builder.add(row, finished.calls);
    rows.push(withTask(row, tasks[finished.episode.index] as Task));
    calls.push(...finished.calls);
    executions.push(...finished.executions);
    const trajectory = trajectories ? trajectoryOf(row, finished.calls, config.seed) : null;
    if (trajectory !== null) made.push(trajectory);
  }
  for (const call of loop.caller.loose()) {
    builder.addCall(call);
    calls.push(call);
  }
  executions.push(...loop.programs.loose());
  for (const execution of executions) builder.addExecution(execution);
  if (loop.embeddings !== null) builder.addEmbeddings(loop.embeddings);
  if (loop.unkept !== null) builder.addUnkept(loop.unkept);
  const { status, message } = loop.outcome();
  const gathered = builder.finish(
    runFacts(config, factsOfLoaded(config, run.loaded), {
      experiment: experimentFolderName(config.name),
      status,
      status_message: message,
      samples_planned: tasks.length,
      wall_seconds: (endedAt - startedAt) / 1000,
      started_at: startedAt,
      ended_at: endedAt,
    }),
  );
  return {
    metrics: orIncomplete(gathered, recordedSamples(gathered), 'sample', ''),
    rows,
    calls,
    executions,
    ...(trajectories ? { trajectories: made } : {}),
    memory: memoryOf(run, loop),
  };
}
