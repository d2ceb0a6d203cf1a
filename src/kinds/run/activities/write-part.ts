import { heartbeating } from '../../../activities/attempt-journal.js';
import type { ResultRow } from '../../../contracts/results.js';
import { resultRow } from '../../../statistics/result-row.js';
import type { WritePartInput } from '../contracts.js';
import { partKey } from '../paths.js';
import type { PartLine } from '../results.js';
import { expandEpisode } from './expand-episode.js';
import { writePart as writeLines } from './part-file.js';
import type { RunContexts } from './run-context.js';
import { scoreRow } from './score-row.js';

/** Creates the activity that scores finished episodes and writes them with their calls as one object. Repeatable. */
export function createWritePart(runs: RunContexts) {
  return (input: WritePartInput): Promise<void> =>
    heartbeating(async () => {
      const run = await runs.get(input.run);
      const log = run.log('episode');
      const lines: PartLine[] = await Promise.all(
        input.episodes.map(async (compact): Promise<PartLine> => {
          const { episode, calls, executions } = await expandEpisode(run, compact);
          const unscored = resultRow(episode, calls);
          const task = () => run.taskOf(episode.index);
          const scores = await scoreRow(run, { task, row: unscored, calls });
          const row: ResultRow = { ...unscored, ...scores };
          const { id, trial, error, reward } = row;
          const ended = { time: new Date(episode.ended_at).toISOString(), sample: id, trial };
          if (error === null)
            log.info({ ...ended, correct: row.feedback?.correct ?? null, reward }, 'episode');
          else log.error({ ...ended, error }, 'episode failed');
          return {
            kind: 'episode',
            index: episode.index,
            trial,
            row,
            calls,
            ...(executions.length === 0 ? {} : { executions }),
            steps: episode.steps,
          };
        }),
      );
      if (input.memory !== undefined) lines.push({ kind: 'memory', ...input.memory });
      for (const memory of input.sample_memories ?? []) lines.push({ kind: 'memory', ...memory });
      await writeLines(run.store, partKey(input.execution, input.sequence, input.by), lines);
    });
}
