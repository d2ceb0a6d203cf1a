import type { Outcome } from './contestants/contestant.js';
import { idealSeconds, type Latency, latencyText } from './latency.js';
import { type ContestResult, type ContestRun, MODELS } from './measure/contests.js';
import type { RecoveryResult } from './measure/recovery.js';
import { type Spread, spreadOf } from './measure/spread.js';
import type { BenchResult } from './result.js';
import { targetsOf, verdict } from './targets.js';

export type Row = [string, ...string[]];

/** A Markdown table whose columns line up, so that it reads well in a terminal, too. */
export function markdownTable(head: Row, rows: readonly Row[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => [...(row[column] ?? '')].length)),
  );
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`;
  return [line(head), line([], '-'), ...rows.map((row) => line(row))].join('\n');
}

export const NONE = '–';

/** `213 (198–221)`; the median alone where it was measured once. */
export function cell(values: readonly (number | null)[], digits: number): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? NONE : shown(spreadOf(known), digits);
}

export function shown({ median, min, max }: Spread, digits: number): string {
  const text = (value: number) => value.toFixed(digits);
  return min === max ? text(median) : `${text(median)} (${text(min)}–${text(max)})`;
}

export const megabytes = (bytes: number | null) => (bytes === null ? null : bytes / 1e6);

/** What is measured of a contestant's run, and how many digits are shown. */
export type Measure<Run> = [string, (run: Run) => number | null, number];

/** What its processes took. */
export const PROCESSES: readonly Measure<Outcome>[] = [
  ['CPU seconds', (run) => run.worker.cpu_seconds, 1],
  ['peak memory, MB', (run) => megabytes(run.worker.peak_bytes), 0],
  ['server CPU seconds', (run) => run.server.cpu_seconds, 1],
  ['server peak memory, MB', (run) => megabytes(run.server.peak_bytes), 0],
];

/** The measures of one contest, a row each. */
function measures(contest: ContestResult): Measure<ContestRun>[] {
  const { samples, latency } = contest;
  const ideal = idealSeconds(contest, contest);
  const overIdeal: Measure<ContestRun>[] = [
    ['wall over ideal, run', (run) => run.own_seconds / ideal, 2],
    ['wall over ideal, command', (run) => run.command_seconds / ideal, 2],
  ];
  // A model that answers at once has hardly ever two calls in hand.
  const inFlight: Measure<ContestRun>[] = [['calls in flight at most', (run) => run.most_in_flight, 0]];
  return [
    ['samples/s, run', (run) => samples / run.own_seconds, 0],
    ['samples/s, command', (run) => samples / run.command_seconds, 0],
    ...(latency > 0 ? overIdeal : []),
    ...PROCESSES,
    ...(latency > 0 ? inFlight : []),
    ['CPU taken by others, %', ({ disturbance }) => (disturbance === null ? null : disturbance * 100), 0],
  ];
}

function contestRows(contests: readonly ContestResult[], model: Latency): Row[] {
  const [first] = contests;
  if (first === undefined) return [];
  return measures(first).map(([name, _of, digits], row): Row => {
    const cells = contests.map((contest) => {
      if (contest.runs.length === 0) return contest.error === null ? NONE : 'failed';
      const [, of] = measures(contest)[row] as ReturnType<typeof measures>[number];
      return cell(contest.runs.map(of), digits);
    });
    return [`${latencyText(model)}: ${name}`, ...cells];
  });
}

function historyRows(contests: readonly ContestResult[]): Row[] {
  const of = (pick: (history: NonNullable<ContestResult['history']>) => number, digits: number) =>
    contests.map(({ history }) => (history === null ? NONE : pick(history).toFixed(digits)));
  return [
    ['history: events a sample', ...of((history) => history.events_a_sample, 2)],
    ['history: bytes a sample', ...of((history) => history.bytes_a_sample, 0)],
    [
      'history: bytes a sample, beside its prompt',
      ...of((history) => history.bytes_a_sample_beside_prompt, 0),
    ],
  ];
}

/** One column a contestant. */
export function contestTable({ contests, sequential }: BenchResult): string {
  const at = (model: Latency) => contests.filter((contest) => latencyText(contest) === latencyText(model));
  const columns = at(MODELS[0] as Latency);
  const calls: Row = [
    'one sequential call, ms',
    ...columns.map(({ contestant }) => {
      const found = sequential.find((one) => one.contestant === contestant);
      return found === undefined ? NONE : shown(found.milliseconds, 1);
    }),
  ];
  const rows = MODELS.flatMap((model) => contestRows(at(model), model));
  return markdownTable(
    ['', ...columns.map(({ title }) => title)],
    [...rows, ...historyRows(columns), ...(sequential.length > 0 ? [calls] : [])],
  );
}

export function recoveryTable({ recovery }: BenchResult): string | null {
  if (recovery.length === 0) return null;
  const row = (name: string, value: (result: RecoveryResult) => string): Row => [
    name,
    ...recovery.map(value),
  ];
  return markdownTable(
    [
      'kill -9 of the only worker, another started at once',
      ...recovery.map(({ grain }) => `grain: ${grain}`),
    ],
    [
      row('seconds to the next request', (one) => shown(one.seconds_to_request, 1)),
      row('seconds to the end of the run', (one) => shown(one.seconds_to_end, 1)),
      row('calls made again', (one) => shown(one.repeated, 0)),
    ],
  );
}

/** What a command takes that has nothing to do. */
export function startTable({ starts }: BenchResult): string | null {
  if (starts.length === 0) return null;
  return markdownTable(
    ['a start', 'CPU seconds', 'seconds'],
    starts.map((one) => [one.command, shown(one.cpu_seconds, 2), shown(one.wall_seconds, 2)]),
  );
}

/** The same run on the embedded server and on one of a team. */
export function productionTable({ production }: BenchResult): string | null {
  if (production === null) return null;
  if ('skipped' in production) return `A production server was not measured: ${production.skipped}`;
  const { samples, concurrency, embedded } = production;
  const alone = spreadOf(embedded).median;
  const row = (name: string, seconds: readonly number[]): Row => [
    name,
    cell(
      seconds.map((second) => samples / second),
      0,
    ),
    `${(alone / spreadOf(seconds).median).toFixed(2)} ×`,
  ];
  return markdownTable(
    [`${samples} samples, concurrency ${concurrency}, a model of 0 ms`, 'samples/s', 'beside embedded'],
    [
      row('embedded server, one worker', embedded),
      ...production.production.map(({ workers, own_seconds }) =>
        row(`PostgreSQL and S3, ${workers} worker${workers === 1 ? '' : 's'}`, own_seconds),
      ),
    ],
  );
}

/** Runs that were steered until their own history was longer than the server lets one be. */
export function lengthTable({ lengths }: BenchResult): string | null {
  if (lengths.length === 0) return null;
  return markdownTable(
    [
      'lanes',
      'samples',
      'events of `run`',
      'executions',
      'longest',
      'requests',
      'kills',
      'calls again',
      'minutes',
    ],
    lengths.map(({ lanes, samples, reached, executions, longest, requests, kills, repeated, seconds }) => [
      String(lanes),
      ...[samples, reached, executions, longest, requests, kills, repeated].map(String),
      (seconds / 60).toFixed(1),
    ]),
  );
}

/** Runs that look up three similar experiences for each sample. */
export function experiencesTable({ experiences }: BenchResult): string | null {
  if (experiences.length === 0) return null;
  return markdownTable(
    [
      'experiences loaded',
      'samples',
      'ms a sample',
      'worker peak, MB',
      'events a sample',
      'KB a sample',
      'executions',
    ],
    experiences.map(
      ({ loaded, samples, own_seconds, worker, history }): Row => [
        String(loaded),
        String(samples),
        ((own_seconds * 1000) / samples).toFixed(0),
        megabytes(worker.peak_bytes)?.toFixed(0) ?? NONE,
        history.events_a_sample.toFixed(2),
        (history.bytes_a_sample / 1000).toFixed(1),
        String(history.executions),
      ],
    ),
  );
}

/** Programs in the sandbox beside `docker run`. */
export function executionsTable({ executions }: BenchResult): string | null {
  if (executions === null) return null;
  if ('skipped' in executions) return `Executions were not measured: ${executions.skipped}`;
  const rows = executions.at_once.map(({ concurrency, docker_run, sandbox }): Row => {
    const ratio = spreadOf(docker_run).median / spreadOf(sandbox).median;
    return [
      `seconds an execution, ${concurrency === 1 ? 'one after another' : `${concurrency} at once`}`,
      cell(docker_run, 3),
      cell(sandbox, 3),
      `${ratio.toFixed(2)} ×`,
    ];
  });
  const warm: Row = ['seconds to the result, a container waiting', NONE, shown(executions.warm, 3), NONE];
  const first: Row = [
    "seconds to the program's first word, a container waiting",
    NONE,
    shown(executions.first_word, 3),
    NONE,
  ];
  return markdownTable(
    [`${executions.executions} executions of a small program`, 'docker run', 'sandbox', 'times as fast'],
    [...rows, warm, first],
  );
}

export function memoryTable({ memory }: BenchResult): string | null {
  if (memory.length === 0) return null;
  return markdownTable(
    ['samples', 'worker peak, MB', 'server peak, MB', 'samples/s', 'events a sample', 'executions'],
    memory.map(
      ({ samples, worker, server, own_seconds, history }): Row => [
        String(samples),
        megabytes(worker.peak_bytes)?.toFixed(0) ?? NONE,
        megabytes(server.peak_bytes)?.toFixed(0) ?? NONE,
        (samples / own_seconds).toFixed(0),
        history.events_a_sample.toFixed(2),
        String(history.executions),
      ],
    ),
  );
}

export function targetTable(result: BenchResult): string | null {
  const targets = targetsOf(result);
  if (targets.length === 0) return null;
  return markdownTable(
    ['target', 'wanted', 'measured', ''],
    targets.map((target): Row => {
      const { name, measured, wanted, unit, atLeast, digits } = target;
      const sign = atLeast ? '≥' : '≤';
      return [name, `${sign} ${wanted} ${unit}`, `${measured.toFixed(digits)} ${unit}`, verdict(target)];
    }),
  );
}
