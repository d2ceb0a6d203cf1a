import { type Spread, spreadOf } from './measure/spread.js';
import type { BenchResult } from './result.js';

/** A figure to reach. */
export interface Target {
  name: string;
  measured: number;
  wanted: number;
  unit: string;
  /** Whether more is better. */
  atLeast: boolean;
  digits: number;
}

export function reached({ measured, wanted, atLeast }: Target): boolean {
  return atLeast ? measured >= wanted : measured <= wanted;
}

/** `reached`, or `missed by 12 %`. */
export function verdict(target: Target): string {
  if (reached(target)) return 'reached';
  const { measured, wanted } = target;
  return `missed by ${((Math.abs(measured - wanted) / wanted) * 100).toFixed(0)} %`;
}

const MEGABYTE = 1e6;
/** Two runs of the same length differ by about as much: the garbage collector comes when it likes. */
const MEMORY_NOISE = 1.05;

/** Own wall time of a contestant's runs, in seconds; null where it has none. */
export function ownSeconds(result: BenchResult, contestant: string, latency: number): Spread | null {
  const contest = result.contests.find(
    (one) => one.contestant === contestant && one.latency === latency && !one.jitter,
  );
  if (contest === undefined || contest.runs.length === 0) return null;
  return spreadOf(contest.runs.map(({ own_seconds }) => own_seconds));
}

function speedTargets(result: BenchResult): Target[] {
  const targets: Target[] = [];
  const fast = ownSeconds(result, 'embedded', 0);
  const slow = ownSeconds(result, 'embedded', 1000);
  const inspect = ownSeconds(result, 'inspect', 0);
  const [contest] = result.contests;
  if (contest === undefined) return targets;
  const { samples, concurrency } = contest;
  if (fast !== null) {
    const speed = { measured: samples / fast.median, wanted: 150, unit: 'samples/s' };
    targets.push({ name: 'model at 0 ms: speed', ...speed, atLeast: true, digits: 0 });
  }
  if (fast !== null && inspect !== null) {
    const ratio = { measured: inspect.median / fast.median, wanted: 4, unit: '×' };
    targets.push({ name: 'model at 0 ms: times as fast as Inspect AI', ...ratio, atLeast: true, digits: 1 });
  }
  if (slow !== null) {
    const ratio = { measured: slow.median / (samples / concurrency), wanted: 1.15, unit: '× ideal' };
    targets.push({ name: 'model at 1,000 ms: wall over ideal', ...ratio, atLeast: false, digits: 2 });
  }
  return targets;
}

function costTargets({ contests, sequential }: BenchResult): Target[] {
  const targets: Target[] = [];
  const call = sequential.find(({ contestant }) => contestant === 'embedded');
  if (call !== undefined) {
    const cost = { measured: call.milliseconds.median, wanted: 20, unit: 'ms' };
    targets.push({ name: 'one sequential call', ...cost, atLeast: false, digits: 1 });
  }
  const history = contests.find(
    ({ contestant, latency }) => contestant === 'embedded' && latency === 0,
  )?.history;
  if (history) {
    const events = { measured: history.events_a_sample, wanted: 6, unit: 'events' };
    targets.push({ name: 'history events a sample', ...events, atLeast: false, digits: 2 });
    const bytes = { measured: history.bytes_a_sample_beside_prompt, wanted: 1000, unit: 'bytes' };
    targets.push({ name: 'history bytes a sample, beside its prompt', ...bytes, atLeast: false, digits: 0 });
  }
  return targets;
}

function memoryTargets({ memory }: BenchResult): Target[] {
  const few = memory[0]?.worker.peak_bytes;
  const many = memory[1]?.worker.peak_bytes;
  if (few == null || many == null) return [];
  const size = { measured: many / MEGABYTE, wanted: 600, unit: 'MB' };
  const growth = { measured: many / few, wanted: MEMORY_NOISE, unit: '×' };
  return [
    { name: 'worker memory at 20,000 samples', ...size, atLeast: false, digits: 0 },
    { name: 'worker memory at 20,000 over 5,000 samples', ...growth, atLeast: false, digits: 2 },
  ];
}

function executionTargets({ executions }: BenchResult): Target[] {
  if (executions === null || 'skipped' in executions) return [];
  const targets: Target[] = [];
  for (const { concurrency, docker_run, sandbox } of executions.at_once) {
    const { median } = spreadOf(sandbox);
    if (concurrency === 1) {
      const ratio = { measured: median / spreadOf(docker_run).median, wanted: 1, unit: '×' };
      targets.push({ name: 'an execution over docker run', ...ratio, atLeast: false, digits: 2 });
    } else {
      const speed = { measured: 1 / median, wanted: 6, unit: 'executions/s' };
      targets.push({ name: `${concurrency} executions at once: speed`, ...speed, atLeast: true, digits: 1 });
    }
  }
  const warm = { measured: executions.warm.median, wanted: 0.1, unit: 's' };
  targets.push({ name: 'an execution that finds a container waiting', ...warm, atLeast: false, digits: 3 });
  return targets;
}

/** The largest of all runs counts: a worker may not need more once either. */
function rolloutTargets({ rollouts }: BenchResult): Target[] {
  const durable = (rollouts?.contests ?? []).filter(({ contestant }) => contestant === 'durable');
  const peaks = durable.flatMap(({ runs }) => runs.flatMap(({ worker }) => worker.peak_bytes ?? []));
  const [contest] = durable;
  if (contest === undefined || peaks.length === 0) return [];
  const { rows, rollouts_a_row, concurrency } = contest;
  const size = { measured: Math.max(...peaks) / MEGABYTE, wanted: 600, unit: 'MB' };
  const name = `worker memory, ${rows * rollouts_a_row} rollouts at concurrency ${concurrency}`;
  return [{ name, ...size, atLeast: false, digits: 0 }];
}

function startTargets({ starts, recovery }: BenchResult): Target[] {
  const wanted = [0.15, 0.7];
  const cheap = starts.map(({ command, cpu_seconds }, index) => ({
    ...{ name: `${command}: CPU`, measured: cpu_seconds.median, wanted: wanted[index] ?? 0, unit: 's' },
    ...{ atLeast: false, digits: 2 },
  }));
  const quick = recovery.map(({ grain, seconds_to_request }) => ({
    ...{
      name: `kill -9 to the next request, grain: ${grain}`,
      measured: seconds_to_request.median,
      wanted: 4,
    },
    ...{ unit: 's', atLeast: false, digits: 1 },
  }));
  return [...cheap, ...quick];
}

/** The targets that this run can speak to. */
export function targetsOf(result: BenchResult): Target[] {
  return [
    ...speedTargets(result),
    ...costTargets(result),
    ...startTargets(result),
    ...memoryTargets(result),
    ...executionTargets(result),
    ...rolloutTargets(result),
  ];
}
