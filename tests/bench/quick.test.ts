import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../bench/contestants/contestant.js';
import { latencyText } from '../../bench/latency.js';
import type { ContestRun } from '../../bench/measure/contests.js';
import type { EvolveRun } from '../../bench/measure/evolve.js';
import type { BenchResult } from '../../bench/result.js';
import { atNight } from '../support/nightly.js';
import { findPython, mustSkipPython } from '../support/python.js';

const JITI = fileURLToPath(new URL('../../node_modules/jiti/lib/jiti-cli.mjs', import.meta.url));
const noPython = mustSkipPython(await findPython());

/** Measures these parts in the smallest form there is. */
async function quickBench(parts: readonly string[], ...options: string[]): Promise<BenchResult> {
  const output = await mkdtemp(join(tmpdir(), 'reprise-bench-test-'));
  onTestFinished(() => rm(output, { recursive: true, force: true }));
  const child = spawn(
    process.execPath,
    [
      JITI,
      'bench/main.ts',
      ...['--quick', '--output', output, ...options],
      ...parts.flatMap((part) => ['--only', part]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const [code] = await once(child, 'close');
  expect(code, stderr).toBe(0);

  const files = (await readdir(output)).sort();
  expect(files.map((name) => name.replace(/^\d{4}-\d\d-\d\d-.*-cores-quick/, '…'))).toEqual([
    '….json',
    '….md',
  ]);
  const [json, markdown] = await Promise.all(files.map((name) => readFile(join(output, name), 'utf8')));
  expect(stdout).toContain(markdown);

  const result = JSON.parse(json as string) as BenchResult;
  expect(result.failures).toEqual([]);
  return result;
}

it('the bench measures each contestant it is asked for, and writes table and data', async () => {
  const result = await quickBench(['embedded', 'plain-loop'], '--samples', '20');
  expect(result.contests.map((contest) => [contest.contestant, latencyText(contest)])).toEqual([
    ['embedded', '0 ms'],
    ['plain-loop', '0 ms'],
    ['embedded', '1000 ms'],
    ['plain-loop', '1000 ms'],
    ['embedded', '1000 ms, jittered'],
    ['plain-loop', '1000 ms, jittered'],
  ]);
  for (const contest of result.contests) {
    expect(contest.error).toBeNull();
    // One request a sample, from a contestant that reports a time of its own within its command's.
    expect(contest.runs.map(({ requests }) => requests)).toEqual([20]);
    const [{ own_seconds, command_seconds, worker, server }] = contest.runs as [ContestRun];
    expect(own_seconds).toBeGreaterThan(0);
    expect(command_seconds).toBeGreaterThan(own_seconds);
    if (process.platform !== 'linux') continue;
    expect(worker.peak_bytes).toBeGreaterThan(10e6);
    expect(server.peak_bytes !== null).toBe(contest.contestant === 'embedded');
  }
  const histories = result.contests.map(({ history }) => history);
  expect(histories.map((history) => history !== null)).toEqual([true, false, false, false, false, false]);
  // At least the three events of one activity a sample.
  expect(histories[0]?.executions).toBeGreaterThanOrEqual(1);
  expect(histories[0]?.events_a_sample).toBeGreaterThanOrEqual(3);
  expect(histories[0]?.bytes_a_sample_beside_prompt).toBeGreaterThan(0);
}, 170_000);

/** The commands that it measures have tests of their own; what it makes of them has unit tests beside this one. */
atNight(
  'the bench measures rollouts beside a plain loop, and an evolution beside its ideal',
  async () => {
    const parts = noPython ? ['rollouts'] : ['rollouts', 'evolve'];
    const { rollouts, evolve } = await quickBench(parts, '--sandbox', 'process');
    expect(rollouts?.contests.map(({ contestant, latency }) => [contestant, latency])).toEqual([
      ['durable', 0],
      ['plain', 0],
      ['durable', 1000],
      ['plain', 1000],
    ]);
    for (const { contestant, runs } of rollouts?.contests ?? []) {
      const [{ own_seconds, command_seconds, worker, server }] = runs as [Outcome];
      expect(own_seconds).toBeGreaterThan(0);
      expect(command_seconds).toBeGreaterThan(own_seconds);
      if (process.platform !== 'linux') continue;
      expect(worker.peak_bytes).toBeGreaterThan(10e6);
      expect(server.peak_bytes !== null).toBe(contestant === 'durable');
    }
    expect(rollouts?.tool_call.map(({ contestant }) => contestant)).toEqual(['durable', 'plain']);
    if (noPython) return;
    if (evolve === null || 'skipped' in evolve) throw new Error(`nothing was measured: ${evolve?.skipped}`);
    const [{ ideal_seconds, ...evolved }] = evolve.runs as [EvolveRun];
    // Two programs of each iteration, validated on two examples each, and a training run of those that were evolved.
    expect(evolved).toMatchObject({ calls: 4, executions: 10 });
    // A call, two validations one after the other, a training run, a call, and two validations to close.
    expect(ideal_seconds).toBeCloseTo(0.7);
    // Neither the mock nor a program ends before its time.
    expect(evolved.recorded_seconds).toBeGreaterThan(0.65);
    expect(evolved.own_seconds).toBeGreaterThan(ideal_seconds);
  },
  170_000,
);

atNight(
  'the bench steers a run until its history is long, and kills its worker meanwhile',
  async () => {
    const { lengths } = await quickBench(['length']);
    expect(lengths).toMatchObject([{ lanes: 2, samples: 200, kills: 1 }]);
    expect(lengths[0]?.reached).toBeGreaterThanOrEqual(1500);
    expect(lengths[0]?.repeated).toBeLessThanOrEqual(2);
  },
  170_000,
);
