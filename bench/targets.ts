import { idealSeconds, latencyText } from './latency.js';
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
function ownSeconds(result: BenchResult, contestant: string, latency: number, jitter = false): Spread | null {
  const contest = result.contests.find(
    (one) => one.contestant === contestant && one.latency === latency && one.jitter === jitter,
  );
  if (contest === undefined || contest.runs.length === 0) return null;
  return spreadOf(contest.runs.map(({ own_seconds }) => own_seconds));
}

function speedTargets(result: BenchResult): Target[] {
  const targets: Target[] = [];
  const [contest] = result.contests;
  const own = ownSeconds(result, 'embedded', 0);
  for (const [contestant, name, wanted] of [
    ['plain-loop', 'of a plain loop', 0.65],
    ['inspect', 'of Inspect AI', 7],
  ] as const) {
    const other = ownSeconds(result, contestant, 0);
    if (own === null || other === null) continue;
    const ratio = { measured: other.median / own.median, wanted, unit: '×', digits: 2 };
    targets.push({ name: `model at 0 ms: speed ${name}`, ...ratio, atLeast: true });
  }
  for (const [jitter, wanted] of [
    [false, 1.12],
    [true, 1.04],
  ] as const) {
    const model = { latency: 1000, jitter };
    const slow = ownSeconds(result, 'embedded', model.latency, jitter);
    if (slow === null || contest === undefined) continue;
    const ratio = {
      measured: slow.median / idealSeconds(contest, model),
      wanted,
      unit: '× ideal',
      digits: 2,
    };
    targets.push({ name: `model at ${latencyText(model)}: wall over ideal`, ...ratio, atLeast: false });
  }
  return targets;
}

/** On a production server. More workers may not be slower, but for the noise of a machine that they share. */
function productionTargets({ production }: BenchResult): Target[] {
  if (production === null || 'skipped' in production) return [];
  const speeds = production.production.map(
    ({ own_seconds }) => production.samples / spreadOf(own_seconds).median,
  );
  const [one = 0] = speeds;
  const speed = { measured: one, wanted: 250, unit: 'samples/s', atLeast: true, digits: 0 };
  const targets = [{ name: 'PostgreSQL and S3, one worker: speed', ...speed }];
  const most = production.production.at(-1)?.workers ?? 1;
  if (most === 1) return targets;
  const ratio = { measured: (speeds.at(-1) ?? 0) / one, wanted: 1, unit: '×', atLeast: true, digits: 2 };
  return [...targets, { name: `${most} workers over one`, ...ratio }];
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
    const events = { measured: history.events_a_sample, wanted: 0.3, unit: 'events' };
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

/** Of memory the largest of all runs counts: a worker may not need more once either. */
function rolloutTargets({ rollouts }: BenchResult): Target[] {
  const durable = (rollouts?.contests ?? []).filter(({ contestant }) => contestant === 'durable');
  const targets = durable.map((contest): Target => {
    const { rows, rollouts_a_row, concurrency, latency, model_calls, runs } = contest;
    const all = rows * rollouts_a_row;
    const { median } = spreadOf(runs.map(({ own_seconds }) => own_seconds));
    const name = `rollouts at ${latency} ms`;
    if (latency === 0) {
      const speed = { measured: all / median, wanted: 20, unit: 'rollouts/s', atLeast: true, digits: 1 };
      return { name: `${name}: speed`, ...speed };
    }
    const ideal = (all / concurrency) * model_calls * (latency / 1000);
    const ratio = { measured: median / ideal, wanted: 1.15, unit: '× ideal', atLeast: false, digits: 2 };
    return { name: `${name}: wall over ideal`, ...ratio };
  });
  const call = rollouts?.tool_call.find(({ contestant }) => contestant === 'durable');
  if (call !== undefined) {
    const cost = { measured: call.milliseconds.median, wanted: 5, unit: 'ms', atLeast: false, digits: 1 };
    targets.push({ name: 'one tool call', ...cost });
  }
  const peaks = durable.flatMap(({ runs }) => runs.flatMap(({ worker }) => worker.peak_bytes ?? []));
  const [contest] = durable;
  if (contest === undefined || peaks.length === 0) return targets;
  const { rows, rollouts_a_row, concurrency } = contest;
  const size = { measured: Math.max(...peaks) / MEGABYTE, wanted: 600, unit: 'MB' };
  const name = `worker memory, ${rows * rollouts_a_row} rollouts at concurrency ${concurrency}`;
  return [...targets, { name, ...size, atLeast: false, digits: 0 }];
}

function evolutionTargets({ evolve }: BenchResult): Target[] {
  if (evolve === null || 'skipped' in evolve || evolve.runs.length === 0) return [];
  const { median } = spreadOf(
    evolve.runs.map(({ own_seconds, ideal_seconds }) => own_seconds / ideal_seconds),
  );
  const ratio = { measured: median, wanted: 1.15, unit: '× ideal', atLeast: false, digits: 2 };
  return [{ name: 'an evolution: wall over ideal', ...ratio }];
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
    ...evolutionTargets(result),
    ...productionTargets(result),
  ];
}
