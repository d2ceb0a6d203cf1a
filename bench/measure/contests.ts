import { cpus } from 'node:os';
import type { Contestant, Outcome } from '../contestants/contestant.js';
import { type Latency, latencyText } from '../latency.js';
import type { Mock } from '../mock.js';
import type { BenchOptions } from '../options.js';
import { makeWorkspace } from '../workspace.js';
import { type HistorySize, historySize } from './history.js';
import { MachineWatch } from './machine.js';

export interface ContestRun extends Outcome {
  /** What the mock server counted: requests, and calls in flight at once. */
  requests: number;
  most_in_flight: number;
  /** Share of the machine's CPU time that went to somebody else meanwhile; null where it cannot be told. */
  disturbance: number | null;
}

/** One contestant against one model. */
export interface ContestResult extends Latency {
  contestant: Contestant['name'];
  title: string;
  samples: number;
  concurrency: number;
  runs: ContestRun[];
  /** Of the last run at 0 ms, where the contestant keeps one. */
  history: HistorySize | null;
  /** Why a run failed; its figures are left out. */
  error: string | null;
}

/** One answers at once; of the others one makes everybody wait in waves, and one as real models do. */
export const MODELS: readonly Latency[] = [
  { latency: 0, jitter: false },
  { latency: 1000, jitter: false },
  { latency: 1000, jitter: true },
];

async function runOnce(
  contestant: Contestant,
  result: ContestResult,
  { mock, withHistory }: { mock: Mock; withHistory: boolean },
): Promise<void> {
  const { samples, concurrency, latency } = result;
  const workspace = await makeWorkspace({ samples, concurrency, latency }, mock.baseUrl);
  try {
    await mock.reset(latency, result);
    const machine = await MachineWatch.start(mock.pid);
    const started = performance.now();
    const outcome = await contestant.run({ samples, concurrency, latency }, workspace);
    const capacity = ((performance.now() - started) / 1000) * cpus().length;
    const { worker, server, aside_cpu_seconds = 0 } = outcome;
    const own = (worker.cpu_seconds ?? Number.NaN) + (server.cpu_seconds ?? 0) + aside_cpu_seconds;
    const others = ((await machine.others()) - own) / capacity;
    const { calls, most_in_flight } = await mock.statistics();
    if (calls !== samples) throw new Error(`${calls} requests for ${samples} samples`);
    result.runs.push({
      ...outcome,
      requests: calls,
      most_in_flight,
      disturbance: Number.isNaN(others) ? null : Math.max(others, 0),
    });
    if (withHistory) result.history = await historySize(workspace, samples);
  } finally {
    await workspace.remove();
  }
}

/** Contestants take turns, so that a slow spell of the machine strikes all of them. */
export async function runContests(
  contestants: readonly Contestant[],
  options: BenchOptions,
  { mock, say }: { mock: Mock; say: (message: string) => void },
): Promise<ContestResult[]> {
  const { samples, concurrency, repetitions } = options;
  const results = MODELS.flatMap((model) =>
    contestants.map(({ name, title }): ContestResult => {
      const empty = { runs: [], history: null, error: null };
      return { contestant: name, title, ...model, samples, concurrency, ...empty };
    }),
  );
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    for (const result of results) {
      const contestant = contestants.find(({ name }) => name === result.contestant) as Contestant;
      const isDurable = contestant.name === 'embedded' || contestant.name === 'two-workers';
      const withHistory = isDurable && result.latency === 0 && repetition === repetitions;
      try {
        await runOnce(contestant, result, { mock, withHistory });
        const seconds = result.runs.at(-1)?.own_seconds ?? Number.NaN;
        say(
          `${repetition}/${repetitions} ${result.title}, ${latencyText(result)}: ${seconds.toFixed(2)} s, ${(samples / seconds).toFixed(0)} samples/s`,
        );
      } catch (error) {
        result.error = (error as Error).message;
        say(`${repetition}/${repetitions} ${result.title}, ${latencyText(result)}: failed: ${result.error}`);
      }
    }
  }
  return results;
}
