import { describe, expect, it } from 'vitest';
import type { EvolveContest } from '../../bench/evolve-workspace.js';
import { assertEvolved, type EvolveRecords, idealsOf, stepsOf } from '../../bench/measure/evolve.js';
import { idealSeconds, makespan } from '../../bench/measure/ideal.js';
import { millisecondsEach } from '../../bench/measure/overhead.js';
import { parseOptions } from '../../bench/options.js';
import type { EvolveState } from '../../src/kinds/evolve/contracts.js';
import { closeEvolution } from '../../src/kinds/evolve/evolution/closing.js';
import { Iteration } from '../../src/kinds/evolve/evolution/iteration.js';
import {
  type IterationPorts,
  noMemo,
  rememberingPorts,
  Slots,
} from '../../src/kinds/evolve/evolution/iteration-ports.js';
import { freshState } from '../../src/kinds/evolve/evolution/population.js';
import { noStepCost } from '../../src/runtime/step-cost.js';

describe('the cost of one step', () => {
  it('is the time that all of them add, over their number', () => {
    expect(millisecondsEach({ with: 5, without: 2 }, 200)).toBe(15);
  });

  it('is negative where noise was larger, and nothing without a step', () => {
    expect(millisecondsEach({ with: 1, without: 1.5 }, 10)).toBe(-50);
    expect(() => millisecondsEach({ with: 2, without: 1 }, 0)).toThrow(RangeError);
  });
});

describe('the ideal time', () => {
  it.each([
    [[], 4, 0],
    [[1, 1, 1, 1], 4, 1],
    [[1, 1, 1, 1, 1], 4, 2],
    [[2, 3], 1, 5],
    // 3 and 1 beside 2 and 2, whatever order they come in.
    [[1, 2, 2, 3], 2, 4],
    [[10, 1, 1], 2, 10],
  ])('of %j, %i at once, is %d', (seconds, atOnce, wanted) => {
    expect(makespan(seconds, atOnce)).toBe(wanted);
  });

  it('adds up phases, which cannot overlap', () => {
    const step = (iteration: number, kind: 'valid' | 'train' | 'write', seconds: number) => ({
      iteration,
      kind,
      seconds,
    });
    // Eight places, and yet nothing but what stands in one phase is done at once.
    const steps = [step(0, 'write', 2), step(0, 'write', 2), step(1, 'valid', 1), step(1, 'train', 1)];
    expect(idealSeconds([...steps, step(1, 'write', 2), step(2, 'valid', 1)], 8)).toBe(2 + 1 + 1 + 2 + 1);
  });
});

describe('the ideal of an evolution', () => {
  const records: EvolveRecords = {
    nodes: [
      { id: '0', iteration: 0 },
      { id: '1', iteration: 0 },
      { id: '0-0', iteration: 1 },
    ],
    calls: [
      { sample_id: '0', latency_ms: 1200 },
      { sample_id: '1', latency_ms: 1100 },
      { sample_id: '0-0', latency_ms: 1300 },
    ],
    executions: [
      { iteration: 1, type: 'valid', result: { seconds: 0.6 } },
      { iteration: 1, type: 'valid', result: { seconds: 0.7 } },
      { iteration: 1, type: 'train', result: { seconds: 0.8 } },
      { iteration: 2, type: 'valid', result: { seconds: 0.9 } },
    ],
  };

  it('counts what was recorded, with the times that were set and with the recorded ones', () => {
    const setting = { latency: 1000, program_seconds: 0.5, concurrency: 2 };
    const ideals = idealsOf(records, setting);
    expect(ideals.ideal_seconds).toBeCloseTo(1 + 0.5 + 0.5 + 1 + 0.5);
    expect(ideals.recorded_seconds).toBeCloseTo(1.2 + 0.7 + 0.8 + 1.3 + 0.9);
    expect(idealsOf(records, { ...setting, concurrency: 1 }).ideal_seconds).toBeCloseTo(5);
  });

  it('cannot be told of a call or an execution that has no place', () => {
    const [call] = records.calls;
    expect(() => stepsOf({ ...records, calls: [{ ...call, sample_id: '7', latency_ms: 1 }] })).toThrow('7');
    const test = { iteration: 0, type: 'test' as const, result: { seconds: 1 } };
    expect(() => stepsOf({ ...records, executions: [test] })).toThrow('test');
  });

  it.each([
    ['as the bench measures it', parseOptions([], '').evolve as EvolveContest],
    ['in its quick form', parseOptions(['--quick'], '').evolve as EvolveContest],
    [
      'that leaves places free',
      {
        initial_scaffolds: 5,
        scaffolds_per_iter: 3,
        num_iterations: 2,
        num_validation_examples: 7,
        concurrency: 4,
        latency: 3000,
        program_seconds: 0.5,
      },
    ],
  ])('%s, is the time of the same algorithm where nothing else takes any', async (_, contest) => {
    const { seconds, records } = await evolveInNoTime(contest);
    const { ideal_seconds, recorded_seconds } = idealsOf(records, contest);
    expect(seconds).toBeCloseTo(ideal_seconds);
    expect(recorded_seconds).toBeCloseTo(ideal_seconds);
    expect(records.calls).toHaveLength(
      contest.initial_scaffolds + contest.num_iterations * contest.scaffolds_per_iter,
    );
  });
});

describe('an evolution', () => {
  const contest = parseOptions(['--quick'], '').evolve as EvolveContest;
  const metrics: Parameters<typeof assertEvolved>[0] = {
    status: 'done',
    scaffolds: 4,
    scaffolds_failed: 0,
    scaffolds_duplicate: 0,
    executions_failed: 0,
    lm_calls: 4,
    best: { id: '0', iteration: 1, score: 1, path: '', test_score: null },
  };

  it('counts where everything was made at the first try, and is right', () => {
    expect(() => assertEvolved(metrics, contest)).not.toThrow();
  });

  it.each([
    { status: 'stopped' as const },
    { scaffolds: 3 },
    { lm_calls: 5 },
    { scaffolds_duplicate: 1 },
    { executions_failed: 1 },
    { best: null },
  ])('does not count with %j', (wrong) => {
    expect(() => assertEvolved({ ...metrics, ...wrong }, contest)).toThrow(/^the evolution ended/);
  });
});

/** Time that passes only when everybody waits. */
class Clock {
  now = 0;
  private readonly waiting: { at: number; wake: () => void }[] = [];

  wait(seconds: number): Promise<void> {
    return new Promise((wake) => this.waiting.push({ at: this.now + seconds, wake }));
  }

  async run<Value>(work: Promise<Value>): Promise<Value> {
    let going = true;
    const end = () => {
      going = false;
    };
    work.then(end, end);
    while (going) {
      await new Promise(setImmediate);
      this.waiting.sort((left, right) => left.at - right.at);
      const next = this.waiting.shift();
      if (next === undefined) continue;
      this.now = next.at;
      next.wake();
    }
    return work;
  }
}

/** The iterations of an evolution whose calls and executions take their time, and nothing else any. */
async function evolveInNoTime(contest: EvolveContest): Promise<{ seconds: number; records: EvolveRecords }> {
  const clock = new Clock();
  const calls: { sample_id: string; latency_ms: number }[] = [];
  const executions: EvolveRecords['executions'][number][] = [];
  const ports: IterationPorts = {
    propose: async ({ id }) => {
      await clock.wait(contest.latency / 1000);
      calls.push({ sample_id: id, latency_ms: contest.latency });
      const traits = { characters: 1, model_calls: 0 };
      return { ok: true, fingerprint: id, traits, warnings: [], ...noStepCost() };
    },
    execute: async ({ iteration, type }) => {
      await clock.wait(contest.program_seconds);
      executions.push({ iteration, type, result: { seconds: contest.program_seconds } });
      return 1;
    },
    turn: () => Promise.reject(new Error('there is no agent')),
    runDraft: () => Promise.reject(new Error('there is no agent')),
    say: () => undefined,
    announce: () => undefined,
  };
  const examples = Array.from({ length: 2 * contest.num_validation_examples }, (_, index) => `e${index}`);
  const plan = {
    ...contest,
    selection: { kind: 'top_k' as const },
    seed: 1,
    scaffolder: { num_examples: 1, feedback_examples: 0 },
    train: examples,
    valid: examples,
    test: [],
    final_validation: true,
  };
  const begin = (state: EvolveState) => {
    const bounded = rememberingPorts(ports, noMemo(), new Slots(contest.concurrency));
    return { ports: bounded, iteration: new Iteration(plan, state, bounded) };
  };
  const evolve = async () => {
    let state: EvolveState = freshState();
    while (state.next_iteration <= contest.num_iterations) state = (await begin(state).iteration.run()).state;
    return (await closeEvolution({ plan, state, ...begin(state) })).state.nodes;
  };
  const nodes = await clock.run(evolve());
  return { seconds: clock.now, records: { calls, executions, nodes } };
}
