import type { Contestant } from './contestants/contestant.js';
import { embedded } from './contestants/embedded.js';
import { findInspect, inspectContestant, inspectVersion } from './contestants/inspect.js';
import { plainLoop } from './contestants/plain-loop.js';
import { twoWorkers } from './contestants/two-workers.js';
import { runContests } from './measure/contests.js';
import { measureEvolve } from './measure/evolve.js';
import { measureExecutions } from './measure/executions.js';
import { measureExperiences } from './measure/experiences.js';
import { measureLength } from './measure/length.js';
import { measureMemory } from './measure/memory.js';
import { measureProduction } from './measure/production.js';
import { GRAINS, measureRecovery } from './measure/recovery.js';
import { measureRollouts } from './measure/rollouts.js';
import { measureSequential } from './measure/sequential.js';
import { measureStart } from './measure/start.js';
import { type Mock, startMock } from './mock.js';
import type { BenchOptions } from './options.js';
import { type BenchResult, describeHost } from './result.js';

async function contestants({ parts }: BenchOptions, inspect: string | null): Promise<Contestant[]> {
  const all: Contestant[] = [embedded, twoWorkers, plainLoop];
  if (inspect !== null && parts.includes('inspect'))
    all.push(inspectContestant(inspect, await inspectVersion(inspect)));
  return all.filter(({ name }) => parts.includes(name));
}

async function measureAll(
  result: BenchResult,
  options: BenchOptions,
  { mock, inspect, say }: { mock: Mock; inspect: string | null; say: (message: string) => void },
): Promise<void> {
  const { parts, sequentialCalls: calls, repetitions, concurrency } = options;
  /** A measurement that fails leaves the others their place. */
  const attempt = async (what: string, measure: () => Promise<void>) => {
    say(what);
    await measure().catch((error: Error) => {
      result.failures.push(`${what}: ${error.message}`);
      say(`failed: ${error.message}`);
    });
  };
  result.contests = await runContests(await contestants(options, inspect), options, { mock, say });
  if (parts.includes('sequential')) {
    for (const contestant of [embedded, plainLoop]) {
      await attempt(`sequential calls, ${contestant.title}`, async () => {
        result.sequential.push(await measureSequential(contestant, { mock, calls, repetitions }));
      });
    }
  }
  if (parts.includes('recovery')) {
    for (const grain of GRAINS) {
      await attempt(`kill -9 of the worker, runtime.grain: ${grain}`, async () => {
        result.recovery.push(await measureRecovery(grain, { mock, repetitions }));
      });
    }
  }
  if (parts.includes('start')) {
    await attempt('a start', async () => {
      result.starts = await measureStart(repetitions);
    });
  }
  if (parts.includes('production')) {
    await attempt('a production server', async () => {
      const { samples } = options;
      result.production = await measureProduction(mock, { samples, concurrency, repetitions });
      if ('skipped' in result.production) say(`skipped: ${result.production.skipped}`);
    });
  }
  for (const contest of options.lengths) {
    await attempt(`a run of ${contest.events} events with ${contest.lanes} lanes`, async () => {
      result.lengths.push(await measureLength(mock, contest));
    });
  }
  for (const run of options.experienceRuns) {
    await attempt(`a memory of ${run.loaded} experiences and ${run.samples} samples`, async () => {
      result.experiences.push(await measureExperiences(mock, run));
    });
  }
  const { executions } = options;
  if (executions > 0) {
    await attempt('executions in Docker', async () => {
      result.executions = await measureExecutions({ executions, repetitions });
      if ('skipped' in result.executions) say(`skipped: ${result.executions.skipped}`);
    });
  }
  const { rollouts, evolve, sandboxes } = options;
  if (rollouts !== null) {
    await attempt('rollouts', async () => {
      result.rollouts = await measureRollouts(rollouts, { mock, repetitions, say });
    });
  }
  if (evolve !== null) {
    await attempt('evolutions', async () => {
      result.evolve = await measureEvolve(evolve, { mock, repetitions, sandboxes, say });
      if ('skipped' in result.evolve) say(`skipped: ${result.evolve.skipped}`);
    });
  }
  for (const samples of options.memorySamples) {
    await attempt(`memory at ${samples} samples`, async () => {
      result.memory.push(await measureMemory(mock, samples, concurrency));
    });
  }
}

/** Measures everything that the options ask for, one thing at a time. */
export async function runBench(options: BenchOptions, say: (message: string) => void): Promise<BenchResult> {
  const inspect = findInspect();
  const result: BenchResult = {
    at: new Date().toISOString(),
    host: describeHost(),
    quick: options.quick,
    inspect: inspect !== null,
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
  };
  const mock = await startMock();
  try {
    await measureAll(result, options, { mock, inspect, say });
  } finally {
    await mock.close();
  }
  return result;
}
