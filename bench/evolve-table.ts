import type { BenchResult } from './result.js';
import { cell, markdownTable, megabytes, type Row } from './table.js';

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
