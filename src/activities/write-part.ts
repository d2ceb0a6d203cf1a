import type { WritePartInput } from '../contracts/activities.js';
import type { CallRecord } from '../contracts/language-model.js';
import type { EpisodeRecord, PartLine } from '../contracts/results.js';
import { resultRow } from '../statistics/result-row.js';
import { partKey } from '../storage/paths.js';
import type { WorkerDependencies } from './dependencies.js';
import { writePart as writeLines } from './part-file.js';
import type { RunContext, RunContexts } from './run-context.js';

async function callsOf(run: RunContext, episode: EpisodeRecord): Promise<CallRecord[]> {
  const records = await Promise.all(
    episode.calls.map(async ({ step, ...call }) => {
      const record = await run.calls.at(call);
      return record === null ? null : { ...record, step };
    }),
  );
  // A call that failed for good has no record.
  return records.filter((record) => record !== null);
}

/** Writes finished episodes with their calls as one object. Repeated, it writes the same object again. */
export function createWritePart(runs: RunContexts, dependencies: WorkerDependencies) {
  return async function writePart(input: WritePartInput): Promise<void> {
    const run = await runs.get(input.run);
    const log = dependencies.runLogs.for(run.store, run.config.output.log_level);
    const lines: PartLine[] = await Promise.all(
      input.episodes.map(async (episode): Promise<PartLine> => {
        const calls = await callsOf(run, episode);
        const row = resultRow(episode, calls);
        const { id, trial, error, reward } = row;
        if (error === null)
          log.info({ sample: id, trial, correct: row.feedback?.correct ?? null, reward }, 'episode');
        else log.error({ sample: id, trial, error }, 'episode failed');
        return { kind: 'episode', index: episode.index, trial, row, calls };
      }),
    );
    for (const memory of input.memories) lines.push({ kind: 'memory', ...memory });
    await writeLines(run.store, partKey(input.execution, input.shard, input.sequence), lines);
  };
}
