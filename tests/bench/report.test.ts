import { describe, expect, it } from 'vitest';
import type { ContestResult, ContestRun } from '../../bench/measure/contests.js';
import type { RolloutsResult } from '../../bench/measure/rollouts.js';
import { spreadOf } from '../../bench/measure/spread.js';
import { parseOptions } from '../../bench/options.js';
import { reportName, reportOf } from '../../bench/report.js';
import type { BenchResult } from '../../bench/result.js';
import { markdownTable } from '../../bench/table.js';
import { targetsOf, verdict } from '../../bench/targets.js';

function run(own_seconds: number): ContestRun {
  const usage = { cpu_seconds: 2, peak_bytes: 300e6 };
  const server = { cpu_seconds: null, peak_bytes: null };
  return {
    own_seconds,
    command_seconds: own_seconds + 2,
    worker: usage,
    server,
    requests: 1000,
    most_in_flight: 100,
    disturbance: 0.02,
  };
}

function contest(
  contestant: ContestResult['contestant'],
  latency: number,
  seconds: number[],
  more: Partial<ContestResult> = {},
): ContestResult {
  const runs = seconds.map(run);
  const shared = { samples: 1000, concurrency: 100, history: null, error: null };
  return { contestant, title: contestant, latency, jitter: false, runs, ...shared, ...more };
}

function result(more: Partial<BenchResult> = {}): BenchResult {
  return {
    at: '2026-01-31T12:00:00.000Z',
    host: {
      cpu: 'Intel(R) Xeon(R) CPU @ 2.20GHz',
      cores: 2,
      memory_gb: 8,
      system: 'linux',
      node: 'v20',
      load_before: 0.1,
      commit: 'abc',
    },
    quick: false,
    inspect: true,
    contests: [],
    sequential: [],
    recovery: [],
    starts: [],
    production: null,
    lengths: [],
    memory: [],
    experiences: [],
    executions: null,
    rollouts: null,
    evolve: null,
    failures: [],
    ...more,
  };
}

describe('the median of repetitions', () => {
  it.each([
    [[3], { median: 3, min: 3, max: 3 }],
    [[9, 1, 5], { median: 5, min: 1, max: 9 }],
    [[4, 1, 2, 3], { median: 2.5, min: 1, max: 4 }],
    // Numbers, not texts, are sorted.
    [[10, 9, 100], { median: 10, min: 9, max: 100 }],
  ])('of %j', (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });
});

describe('a production server', () => {
  it('stands beside the embedded one', () => {
    const production = {
      samples: 1000,
      concurrency: 100,
      embedded: [5, 4, 6],
      production: [
        { workers: 1, own_seconds: [10] },
        { workers: 2, own_seconds: [4] },
      ],
    };
    const report = reportOf(result({ production }));
    expect(report).toMatch(/embedded server, one worker *\| 200 \(167–250\) \| 1.00 ×/);
    expect(report).toMatch(/PostgreSQL and S3, 1 worker *\| 100 *\| 0.50 ×/);
    expect(report).toMatch(/PostgreSQL and S3, 2 workers *\| 250 *\| 1.25 ×/);
    expect(targetsOf(result({ production })).map((target) => [target.name, verdict(target)])).toEqual([
      ['PostgreSQL and S3, one worker: speed', 'missed by 60 %'],
      ['2 workers over one', 'reached'],
    ]);
    expect(reportOf(result({ production: { skipped: 'no PostgreSQL' } }))).toContain('no PostgreSQL');
  });
});

describe('a start and a recovery', () => {
  const starts = [
    { command: 'reprise --help', cpu_seconds: spreadOf([0.1, 0.12]), wall_seconds: spreadOf([0.2]) },
    { command: 'reprise run, one sample', cpu_seconds: spreadOf([1.4]), wall_seconds: spreadOf([3]) },
  ];
  const recovery = (['call', 'unit'] as const).map((grain, index) => ({
    ...{ grain, samples: 400, concurrency: 20, latency: 100 },
    seconds_to_request: spreadOf([2 + 3 * index]),
    seconds_to_end: spreadOf([7]),
    repeated: spreadOf([20]),
  }));

  it('stand in tables, each grain beside the other', () => {
    const report = reportOf(result({ starts, recovery }));
    expect(report).toMatch(/reprise --help *\| 0.11 \(0.10–0.12\) \| 0.20/);
    expect(report).toMatch(/grain: call *\| grain: unit/);
    expect(report).toMatch(/seconds to the next request *\| 2.0 *\| 5.0/);
  });

  it('are compared with their targets', () => {
    expect(targetsOf(result({ starts, recovery })).map((target) => verdict(target))).toEqual([
      'reached',
      'missed by 100 %',
      'reached',
      'missed by 25 %',
    ]);
  });
});

describe('the targets', () => {
  it('take the median and say by how much they are missed', () => {
    const history = {
      events_a_sample: 4,
      bytes_a_sample: 1500,
      bytes_a_sample_beside_prompt: 1300,
      executions: 5,
    };
    const targets = targetsOf(
      result({
        contests: [
          contest('embedded', 0, [5, 100, 4], { history }),
          contest('inspect', 0, [24, 25, 26]),
          contest('plain-loop', 0, [4]),
          contest('embedded', 1000, [12, 11, 13]),
          contest('embedded', 1000, [14.5], { jitter: true }),
        ],
        sequential: [
          { contestant: 'plain-loop', title: '', calls: 9, milliseconds: spreadOf([2]) },
          { contestant: 'embedded', title: '', calls: 9, milliseconds: spreadOf([30]) },
        ],
        memory: [5000, 20_000].map((samples, index) => ({
          samples,
          ...run(30),
          worker: { cpu_seconds: 1, peak_bytes: [400e6, 500e6][index] as number },
          history,
        })),
      }),
    );
    expect(targets.map((target) => [target.name, target.measured, verdict(target)])).toEqual([
      ['model at 0 ms: speed of a plain loop', 0.8, 'reached'],
      ['model at 0 ms: speed of Inspect AI', 5, 'missed by 29 %'],
      ['model at 1000 ms: wall over ideal', 1.2, 'missed by 7 %'],
      ['model at 1000 ms, jittered: wall over ideal', expect.closeTo(1.024, 2), 'reached'],
      ['one sequential call', 30, 'missed by 50 %'],
      ['history events a sample', 4, 'missed by 1233 %'],
      ['history bytes a sample, beside its prompt', 1300, 'missed by 30 %'],
      ['worker memory at 20,000 samples', 500, 'reached'],
      ['worker memory at 20,000 over 5,000 samples', 1.25, 'missed by 19 %'],
    ]);
  });

  it('leave out what was not measured', () => {
    expect(targetsOf(result())).toEqual([]);
    expect(targetsOf(result({ contests: [contest('plain-loop', 0, [1])] }))).toEqual([]);
  });
});

describe('the report', () => {
  it('sets contestants side by side, and says who failed and why', () => {
    const text = reportOf(
      result({
        contests: [
          contest('embedded', 0, [4, 5, 8]),
          contest('plain-loop', 0, [], { error: 'it broke' }),
          contest('embedded', 1000, [12]),
          contest('plain-loop', 1000, [10]),
        ],
        failures: ['memory: too slow'],
      }),
    );
    const cells = (name: string) =>
      text
        .split('\n')
        .find((line) => line.startsWith(`| ${name} `))
        ?.split('|')
        .slice(2, -1)
        .map((cell) => cell.trim());
    expect(cells('0 ms: samples/s, run')).toEqual(['200 (125–250)', 'failed']);
    expect(cells('1000 ms: wall over ideal, run')).toEqual(['1.20', '1.00']);
    expect(cells('0 ms: server CPU seconds')).toEqual(['–', 'failed']);
    expect(text).toContain('- plain-loop, 0 ms: it broke');
    expect(text).toContain('- memory: too slow');
  });

  it('warns of a busy machine and of a quick run', () => {
    expect(reportOf(result())).not.toContain('not idle');
    const { host } = result();
    expect(reportOf(result({ host: { ...host, load_before: 1.5 } }))).toContain('not idle');
    expect(reportOf(result({ quick: true }))).toContain('A quick run');
    const busy = contest('embedded', 0, [5]);
    expect(reportOf(result({ contests: [busy] }))).not.toContain('not quiet');
    busy.runs.push({ ...run(6), disturbance: 0.4 });
    expect(reportOf(result({ contests: [busy] }))).toContain('others took 40 % of its CPU');
  });

  it('shows how long a run was, and how often it continued as new', () => {
    const contest = { lanes: 100, samples: 20_000, latency: 4000, events: 105_000, kills: 3 };
    const figures = { reached: 108_155, executions: 10, longest: 15_608, repeated: 200, requests: 9281 };
    const lengths = [{ ...contest, ...figures, seconds: 264 }];
    const cells = reportOf(result({ lengths }))
      .split('\n')
      .find((line) => line.includes('108155'))
      ?.split('|')
      .map((cell) => cell.trim());
    expect(cells?.slice(1, -1)).toEqual(['100', '20000', '108155', '10', '15608', '9281', '3', '200', '4.4']);
  });

  it('is named after day and processor', () => {
    expect(reportName(result())).toBe('2026-01-31-intel-xeon-2-cores');
    expect(reportName(result({ quick: true }))).toBe('2026-01-31-intel-xeon-2-cores-quick');
  });

  it('lines its columns up', () => {
    expect(
      markdownTable(
        ['', 'b'],
        [
          ['long name', '–'],
          ['c', '1'],
        ],
      ),
    ).toBe(
      ['|           | b   |', '| --------- | --- |', '| long name | –   |', '| c         | 1   |'].join('\n'),
    );
  });
});

describe('executions', () => {
  const executions = {
    executions: 40,
    at_once: [
      { concurrency: 1, docker_run: [0.4, 0.3, 0.5], sandbox: [0.2, 0.25, 0.3] },
      { concurrency: 4, docker_run: [0.2, 0.2, 0.2], sandbox: [0.2, 0.1, 0.3] },
    ],
    warm: { median: 0.11, min: 0.09, max: 0.3 },
    first_word: { median: 0.06, min: 0.05, max: 0.2 },
  };

  it('stand beside docker run, by their medians', () => {
    const report = reportOf(result({ executions }));
    expect(report).toMatch(
      /one after another +\| 0\.400 \(0\.300–0\.500\) +\| 0\.250 \(0\.200–0\.300\) +\| 1\.60 ×/,
    );
    expect(report).toMatch(/4 at once +\| 0\.200 +\| 0\.200 \(0\.100–0\.300\) +\| 1\.00 ×/);
    expect(report).toMatch(/result, a container waiting +\| – +\| 0\.110 \(0\.090–0\.300\)/);
    expect(report).toMatch(/first word, a container waiting +\| – +\| 0\.060 \(0\.050–0\.200\)/);
  });

  it('have targets: no slower than docker run, six a second, a tenth of a second', () => {
    const targets = targetsOf(result({ executions }));
    expect(targets.map(({ measured }) => Number(measured.toFixed(3)))).toEqual([0.625, 5, 0.11]);
    expect(targets.map(verdict)).toEqual(['reached', 'missed by 17 %', 'missed by 10 %']);
  });

  it('that could not be measured say why, and miss nothing', () => {
    const skipped = result({ executions: { skipped: 'no Docker daemon answers' } });
    expect(reportOf(skipped)).toContain('Executions were not measured: no Docker daemon answers\n');
    expect(targetsOf(skipped)).toEqual([]);
  });
});

describe('rollouts', () => {
  const size = {
    rows: 20,
    rollouts_a_row: 10,
    concurrency: 50,
    tool_calls: 4,
    calls_a_reply: 1,
    model_calls: 6,
  };
  const contestOf = (contestant: 'durable' | 'plain', latency: number, seconds: number[]) => ({
    contestant,
    title: contestant,
    latency,
    ...size,
    runs: seconds.map(run),
  });
  const rollouts: RolloutsResult = {
    contests: [
      contestOf('durable', 0, [10, 20, 40]),
      contestOf('plain', 0, [5]),
      contestOf('durable', 1000, [30]),
      contestOf('plain', 1000, [24]),
    ],
    tool_call: [
      { contestant: 'durable', rollouts: 10, tool_calls: 20, milliseconds: spreadOf([12, 15, 18]) },
      { contestant: 'plain', rollouts: 10, tool_calls: 20, milliseconds: spreadOf([3]) },
    ],
  };

  it('stand beside a plain loop, with the ratio of the medians', () => {
    const report = reportOf(result({ rollouts }));
    expect(report).toContain('| 200 rollouts, 50 at once; each: 6 LM calls, 4 tool calls | durable ');
    expect(report).toMatch(/\| 0 ms: rollouts\/s +\| 10\.0 \(5\.0–20\.0\) +\| 40\.0 +\| 0\.25 × +\|/);
    // Four waves of six calls of a second each.
    expect(report).toMatch(/\| 1000 ms: wall over ideal +\| 1\.25 +\| 1\.00 +\| 1\.25 × +\|/);
    expect(report).toMatch(/\| one tool call, ms +\| 15\.0 \(12\.0–18\.0\) +\| 3\.0 +\| 5\.00 × +\|/);
    expect(report).toMatch(/\| 0 ms: server CPU seconds +\| – +\| – +\| – +\|/);
    expect(report).not.toContain('| 0 ms: wall over ideal');
  });

  it('have no ratio where noise was larger than what a tool call costs', () => {
    const [, plain] = rollouts.tool_call;
    const tool_call = [rollouts.tool_call[0], { ...plain, milliseconds: spreadOf([-0.2]) }];
    const report = reportOf(result({ rollouts: { ...rollouts, tool_call } as typeof rollouts }));
    expect(report).toMatch(/\| one tool call, ms +\| 15\.0 \(12\.0–18\.0\) +\| -0\.2 +\| – +\|/);
  });

  it('have a target: the memory of the worker, in the run that took most of it', () => {
    const usage = (peak_bytes: number | null) => ({ cpu_seconds: 1, peak_bytes });
    const contests = [
      contestOf('durable', 0, [10, 20]),
      contestOf('durable', 1000, [30]),
      contestOf('plain', 0, [5]),
    ];
    for (const [contest, peaks] of [
      [0, [300e6, 660e6]],
      [1, [400e6]],
      [2, [900e6]],
    ] as const) {
      for (const [at, peak] of peaks.entries()) {
        (contests[contest]?.runs[at] as ContestRun).worker = usage(peak);
      }
    }
    const memoryOf = () =>
      targetsOf(result({ rollouts: { contests, tool_call: [] } })).filter(({ unit }) => unit === 'MB');
    const [target] = memoryOf();
    expect(target).toMatchObject({ name: 'worker memory, 200 rollouts at concurrency 50', measured: 660 });
    expect(target && verdict(target)).toBe('missed by 10 %');
    // Where the system does not tell, nothing is reached or missed.
    for (const { runs } of contests) for (const one of runs) one.worker = usage(null);
    expect(memoryOf()).toEqual([]);
  });

  it('have targets: their speed, what they take over the ideal, and a tool call', () => {
    const targets = targetsOf(result({ rollouts })).filter(({ unit }) => unit !== 'MB');
    expect(targets.map((target) => [target.name, target.measured, verdict(target)])).toEqual([
      ['rollouts at 0 ms: speed', 10, 'missed by 50 %'],
      ['rollouts at 1000 ms: wall over ideal', 1.25, 'missed by 9 %'],
      ['one tool call', 15, 'missed by 200 %'],
    ]);
  });
});

describe('evolutions', () => {
  const evolve: BenchResult['evolve'] = {
    initial_scaffolds: 4,
    scaffolds_per_iter: 4,
    num_iterations: 3,
    num_validation_examples: 6,
    concurrency: 4,
    latency: 1000,
    program_seconds: 1,
    sandbox: 'process',
    runs: [40, 45, 60].map((seconds) => ({
      ...run(seconds),
      calls: 16,
      executions: 108,
      ideal_seconds: 30,
      recorded_seconds: 36,
    })),
  };

  it('stand beside their ideal', () => {
    const report = reportOf(result({ evolve }));
    expect(report).toContain(
      'an evolution: 16 LM calls of 1000 ms, 108 executions of 1 s, 4 at once (sandbox process)',
    );
    expect(report).toMatch(/\| wall seconds +\| 45\.0 \(40\.0–60\.0\) +\|/);
    expect(report).toMatch(/\| wall over ideal +\| 1\.50 \(1\.33–2\.00\) +\|/);
    expect(report).toMatch(/\| wall over ideal, with the recorded times +\| 1\.25 \(1\.11–1\.67\) +\|/);
  });

  it('have a target', () => {
    const [target] = targetsOf(result({ evolve }));
    expect(target).toMatchObject({ name: 'an evolution: wall over ideal', measured: 1.5 });
  });

  it('that could not be measured say why', () => {
    const report = reportOf(result({ evolve: { skipped: 'docker: no daemon; process: no Python' } }));
    expect(report).toContain('Evolutions were not measured: docker: no daemon; process: no Python\n');
  });
});

describe('the options', () => {
  it('leave the memory runs out of a quick run, unless they are asked for', () => {
    expect(parseOptions([], 'out')).toMatchObject({
      samples: 1000,
      repetitions: 3,
      memorySamples: [5000, 20_000],
      lengths: [{ lanes: 1 }, { lanes: 100 }],
      output: 'out',
    });
    expect(parseOptions(['--quick'], 'out')).toMatchObject({
      samples: 100,
      repetitions: 1,
      memorySamples: [],
      lengths: [],
    });
    expect(parseOptions(['--quick', '--only', 'memory'], 'out')).toMatchObject({ parts: ['memory'] });
  });

  it('measure 200 rollouts, 50 at once, and fewer in a quick run', () => {
    const { rollouts } = parseOptions([], 'out');
    expect(rollouts).toMatchObject({ rows: 20, rollouts_a_row: 10, concurrency: 50 });
    expect(parseOptions(['--quick'], 'out').rollouts?.rows).toBeLessThan(20);
    expect(parseOptions(['--only', 'memory'], 'out')).toMatchObject({ rollouts: null, evolve: null });
  });

  it('run evolved programs in Docker where that works, or where they are told to', () => {
    expect(parseOptions([], 'out').sandboxes).toEqual(['docker', 'process']);
    expect(parseOptions(['--sandbox', 'process'], 'out').sandboxes).toEqual(['process']);
  });

  it.each([
    [['--only', 'nobody'], /--only nobody: one of embedded/],
    [['--samples', '0'], /--samples 0/],
    [['--samples', 'many'], /--samples many/],
    [['--sandbox', 'chroot'], /--sandbox chroot: one of docker, process/],
    [['--fast'], /fast/],
  ])('refuse %j', (argv, message) => {
    expect(() => parseOptions(argv, 'out')).toThrow(message);
  });
});
