import type { Outcome } from './contestants/contestant.js';
import type { RolloutContestResult } from './measure/rollouts.js';
import { spreadOf } from './measure/spread.js';
import type { BenchResult } from './result.js';
import { cell, type Measure, markdownTable, megabytes, NONE, PROCESSES, type Row, shown } from './table.js';

/** The measures of one contest of rollouts, a row each. */
function rolloutMeasures(contest: RolloutContestResult): Measure<Outcome>[] {
  const { rows, rollouts_a_row, concurrency, latency, model_calls } = contest;
  const rollouts = rows * rollouts_a_row;
  const ideal = (rollouts / concurrency) * model_calls * (latency / 1000);
  const overIdeal: Measure<Outcome>[] = [['wall over ideal', (run) => run.own_seconds / ideal, 2]];
  return [
    ['rollouts/s', (run) => rollouts / run.own_seconds, 1],
    ...(latency > 0 ? overIdeal : []),
    ...PROCESSES,
  ];
}

/** The first by the last, by their medians. Of figures that noise has made negative there is none. */
function ratio([first = [], ...others]: readonly (number | null)[][]): string {
  const [left, right] = [first, others.at(-1) ?? []].map((values) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? 0 : spreadOf(known).median;
  }) as [number, number];
  return left > 0 && right > 0 ? `${(left / right).toFixed(2)} ×` : NONE;
}

/** Rollouts of an evaluation beside those of a plain loop, a column each; the last one says how they compare. */
export function rolloutsTable({ rollouts }: BenchResult): string | null {
  const first = rollouts?.contests[0];
  if (rollouts == null || first === undefined) return null;
  const { contests, tool_call } = rollouts;
  const columns = contests.filter(({ latency }) => latency === first.latency);
  const latencies = [...new Set(contests.map(({ latency }) => latency))];
  const rows = latencies.flatMap((latency) => {
    const beside = contests.filter((contest) => contest.latency === latency);
    const [one] = beside as [RolloutContestResult];
    return rolloutMeasures(one).map(([name, , digits], row): Row => {
      const values = beside.map((contest) => {
        const [, of] = rolloutMeasures(contest)[row] as ReturnType<typeof rolloutMeasures>[number];
        return contest.runs.map(of);
      });
      return [`${latency} ms: ${name}`, ...values.map((runs) => cell(runs, digits)), ratio(values)];
    });
  });
  const costs = columns.map(({ contestant }) => tool_call.find((cost) => cost.contestant === contestant));
  const cost: Row = [
    'one tool call, ms',
    ...costs.map((found) => (found === undefined ? NONE : shown(found.milliseconds, 1))),
    ratio(costs.map((found) => (found === undefined ? [] : [found.milliseconds.median]))),
  ];
  const { rollouts_a_row, concurrency, tool_calls, model_calls } = first;
  return markdownTable(
    [
      `${first.rows * rollouts_a_row} rollouts, ${concurrency} at once; each: ${model_calls} LM calls, ${tool_calls} tool calls`,
      ...columns.map(({ title }) => title),
      'ratio',
    ],
    [...rows, cost],
  );
}

/** Evolutions beside what their calls and executions take by themselves. */
export function evolveTable({ evolve }: BenchResult): string | null {
  if (evolve === null) return null;
  if ('skipped' in evolve) return `Evolutions were not measured: ${evolve.skipped}`;
  const { sandbox, concurrency, latency, program_seconds, runs } = evolve;
  const [run] = runs;
  if (run === undefined) return null;
  const measured = (name: string, of: (run: (typeof runs)[number]) => number | null, digits: number): Row => [
    name,
    cell(runs.map(of), digits),
  ];
  return markdownTable(
    [
      `an evolution: ${run.calls} LM calls of ${latency} ms, ${run.executions} executions of ${program_seconds} s, ${concurrency} at once (sandbox ${sandbox})`,
      '',
    ],
    [
      measured('wall seconds', ({ own_seconds }) => own_seconds, 1),
      measured('ideal seconds', ({ ideal_seconds }) => ideal_seconds, 1),
      measured('wall over ideal', ({ own_seconds, ideal_seconds }) => own_seconds / ideal_seconds, 2),
      measured('ideal seconds, with the recorded times', ({ recorded_seconds }) => recorded_seconds, 1),
      measured(
        'wall over ideal, with the recorded times',
        ({ own_seconds, recorded_seconds }) => own_seconds / recorded_seconds,
        2,
      ),
      measured('CPU seconds', ({ worker }) => worker.cpu_seconds, 1),
      measured('peak memory, MB', ({ worker }) => megabytes(worker.peak_bytes), 0),
      measured('server CPU seconds', ({ server }) => server.cpu_seconds, 1),
    ],
  );
}
