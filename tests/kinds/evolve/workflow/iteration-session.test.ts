import { setTimeout as sleep } from 'node:timers/promises';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Limits } from '../../../../src/contracts/experiment.js';
import type { StepCost } from '../../../../src/contracts/step-cost.js';
import type {
  EvolvePlan,
  ExecuteScaffoldInput,
  IterationInput,
  ProposedScaffold,
  ScaffoldRun,
} from '../../../../src/kinds/evolve/contracts.js';
import { IterationSession } from '../../../../src/kinds/evolve/workflow/iteration-session.js';

// The SDK takes it from its sandbox's globals when it is loaded.
await vi.hoisted(async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  Object.assign(globalThis, { AsyncLocalStorage });
});

const NONE: Limits = { max_cost_usd: null, max_lm_calls: null, max_tokens: null, max_wall_seconds: null };
const cost = (lm_calls: number) => ({
  lm_calls,
  usage: { input_tokens: 6 * lm_calls, output_tokens: 4 * lm_calls },
  cost_usd: lm_calls,
});

/** The SDK's own place for the workflow that it runs; activities are answered as an interceptor may. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: object };
afterEach(() => {
  delete sdk.__TEMPORAL_ACTIVATOR__;
});

/** Before the first iteration. */
const NOTHING = { next_iteration: 0, ids: {}, nodes: [], newcomers: [] };

/** What an activity that fails for good rejects with. */
function failed(type: string, message: string, paid: StepCost = cost(1)): ActivityFailure {
  const failure = ApplicationFailure.create({ message, type, nonRetryable: true, details: [paid] });
  const { NON_RETRYABLE_FAILURE } = RetryState;
  return new ActivityFailure('failed', 'executeScaffold', '1', NON_RETRYABLE_FAILURE, '', failure);
}

/** Begins an iteration with activities that a test answers; by default it validates a scaffold on three examples. */
function sessionOf(
  limits: Partial<Limits>,
  answer: (input: ExecuteScaffoldInput) => ScaffoldRun | Promise<ScaffoldRun>,
  {
    begun = {},
    planned = {},
    concurrency = 1,
    propose = () => ({ ok: false, fault: 'nobody asked for one', ...cost(0) }),
  }: {
    begun?: Partial<IterationInput['state']>;
    planned?: Partial<EvolvePlan>;
    concurrency?: number;
    propose?: () => ProposedScaffold | Promise<ProposedScaffold>;
  } = {},
) {
  const executed: ExecuteScaffoldInput[] = [];
  const finished: unknown[] = [];
  const scheduleActivity = async ({ activityType, args }: { activityType: string; args: unknown[] }) => {
    if (activityType === 'finishIteration') return finished.push(args[0]);
    if (activityType === 'proposeScaffold') return propose();
    executed.push(args[0] as ExecuteScaffoldInput);
    return answer(args[0] as ExecuteScaffoldInput);
  };
  const conditions = new Map<number, { fn: () => boolean; resolve: () => void }>();
  // Looks at conditions as the SDK does after each activation: at all of them, before anybody continues.
  const looking = setInterval(() => {
    for (const [number, { fn, resolve }] of conditions) {
      if (!fn()) continue;
      conditions.delete(number);
      resolve();
    }
  }, 1);
  onTestFinished(() => clearInterval(looking));
  sdk.__TEMPORAL_ACTIVATOR__ = {
    nextSeqs: { activity: 1, signalWorkflow: 1, condition: 1 },
    rootScope: { consideredCancelled: false, cancellable: false },
    blockedConditions: conditions,
    info: { continueAsNewSuggested: false },
    bindCurrentRandom: (next: unknown) => next,
    interceptors: { outbound: [{ scheduleActivity, signalWorkflow: async () => undefined }] },
  };
  const plan = {
    run: 'run',
    train: [],
    valid: ['a', 'b', 'c'],
    test: [],
    initial_scaffolds: 2,
    scaffolder: { num_examples: 0, feedback_examples: 0 },
    num_validation_examples: 3,
    final_validation: true,
    selection: { kind: 'top_k' },
    seed: 0,
    timeout_sec: 10,
    limits: { ...NONE, ...limits },
    ...planned,
  } as unknown as EvolvePlan;
  const totals = { executions: 0, executions_failed: 0, ...cost(1) };
  const node = {
    id: '0',
    parent_scaffold_id: null,
    iteration: 0,
    status: 'new' as const,
    train: [],
    valid: [],
  };
  const state = {
    next_iteration: 1,
    ids: { roots: 1 },
    nodes: [node],
    selection: null,
    newcomers: ['0'],
    totals,
    ...begun,
  };
  const control = { paused: false, stopping: false, exhausted: null, concurrency };
  const session = new IterationSession(
    { plan, state, control, closing: state.next_iteration > 0 } as unknown as IterationInput,
    'parent',
  );
  return { session, executed, finished };
}

test('a run that spends the last of the budget ends the iteration as exhausted, with what it has paid', async () => {
  const { session, executed, finished } = sessionOf({ max_lm_calls: 5, max_cost_usd: 100 }, ({ left }) => {
    if (left.lm_calls === 4) return { score: 1, ok: true, ...cost(3) };
    throw failed('LimitReached', 'limits: nothing is left');
  });
  const result = session.result(await session.run());
  expect(executed.map(({ left }) => left)).toEqual([
    { lm_calls: 4, tokens: null, cost_usd: 99 },
    { lm_calls: 1, tokens: null, cost_usd: 96 },
  ]);
  expect(result).toMatchObject({
    state: null,
    fatal: null,
    exhausted: 'limits.max_lm_calls: 5 of 5 calls are made',
    totals: { executions: 1, lm_calls: 5, cost_usd: 5 },
  });
  expect(finished).toEqual([]);
  expect(session.isContinuing({ state: null })).toBe(false);
});

test('a run that fails for another reason is no limit', async () => {
  const { session } = sessionOf({}, () => {
    throw new Error('the model is unreachable');
  });
  await expect(session.run()).rejects.toThrow('the model is unreachable');
});

test('an experiment whose first scaffolds all fail has failed, with what it has paid, and may begin once more', async () => {
  const proposed = { ok: false as const, fault: 'refused the request (HTTP 400)', ...cost(1) };
  const { session, finished } = sessionOf({}, () => ({ score: 0, ok: true, ...cost(0) }), {
    begun: NOTHING,
    propose: () => proposed,
  });
  const result = session.result(await session.run());
  expect(result).toMatchObject({ state: null, exhausted: null, totals: { lm_calls: 7 } });
  expect(result.fatal).toMatch(
    /^scaffolder: .* Scaffold 0: refused the request \(HTTP 400\)\. Change scaffolder /,
  );
  expect(result.lines.at(-1)).toContain('Warning: scaffold 1 is skipped after 3 tries');
  expect(finished).toEqual([]);
});

describe('a program that has used up its calls because the model failed to answer some', () => {
  // It has got one reply as well, which it finds again.
  const unrecorded = (requests: number) => ({
    ...cost(1),
    unrecorded: { requests, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0.5 },
  });
  const planned = { executor: { max_lm_calls: 2, max_tokens: null } };

  test('is run again while the experiment has others left', async () => {
    let failures = 0;
    const { session, executed } = sessionOf(
      { max_lm_calls: 20 },
      ({ example }) => {
        if (example !== 'b' || failures === 2) return { score: 1, ok: true, ...cost(2) };
        failures += 1;
        throw failed('LimitReached', 'limits: nothing is left', unrecorded(2));
      },
      { planned },
    );
    await session.run();
    expect(executed.map(({ example, left }) => [example, left.lm_calls])).toEqual(
      ['a', 'b', 'b', 'b', 'c'].map((example) => [example, 2]),
    );
    const { totals, exhausted } = session.result({ state: null, tested: null });
    expect(exhausted).toBeNull();
    // One call was made before.
    expect(totals).toMatchObject({ lm_calls: 7, cost_usd: 7, unrecorded: { requests: 4, cost_usd: 1 } });
  });

  test('ends the iteration where it has none', async () => {
    const { session, executed } = sessionOf(
      { max_lm_calls: 5 },
      () => {
        throw failed('LimitReached', 'limits: nothing is left', unrecorded(1));
      },
      { planned },
    );
    const result = session.result(await session.run());
    // One request each but for the first, which has its reply: 1 + 2 + 1 + 1.
    expect(executed).toHaveLength(3);
    expect(result).toMatchObject({
      state: null,
      exhausted: 'limits.max_lm_calls: 5 of 5 calls are made, 3 of them for a reply that is not kept',
    });
  });
});

describe('calls that are in flight count against their limit', () => {
  test('of scaffolders side by side', async () => {
    let [going, most, made] = [0, 0, 0];
    const { session } = sessionOf({ max_lm_calls: 4 }, () => ({ score: 0, ok: true, ...cost(0) }), {
      begun: NOTHING,
      planned: { initial_scaffolds: 6 },
      concurrency: 6,
      propose: async () => {
        going += 1;
        made += 1;
        most = Math.max(most, going);
        await sleep(5);
        going -= 1;
        const traits = { characters: 1, model_calls: 0 };
        return { ok: true, fingerprint: String(made), traits, warnings: [], ...cost(1) };
      },
    });
    const result = session.result(await session.run());
    // One was made before.
    expect({ made, most }).toEqual({ made: 3, most: 3 });
    expect(result).toMatchObject({
      state: null,
      exhausted: 'limits.max_lm_calls: 4 of 4 calls are made',
      totals: { lm_calls: 4 },
    });
  });

  test('of programs side by side, each with all that it may make', async () => {
    const { session, executed } = sessionOf(
      { max_lm_calls: 5 },
      async ({ left }) => {
        await sleep(5);
        if ((left.lm_calls ?? 0) < 2) throw failed('LimitReached', 'limits: nothing is left');
        return { score: 1, ok: true, ...cost(2) };
      },
      { planned: { executor: { max_lm_calls: 2, max_tokens: null } }, concurrency: 3 },
    );
    const result = session.result(await session.run());
    expect(executed.map(({ left }) => left.lm_calls)).toEqual([2, 2, 0]);
    expect(result).toMatchObject({ state: null, exhausted: expect.stringContaining('max_lm_calls') });
  });
});

test('a limit of calls that is met ends nothing that needs no call', async () => {
  const { session, executed, finished } = sessionOf({ max_lm_calls: 1 }, () => ({
    score: 0.5,
    ok: true,
    ...cost(0),
  }));
  const result = session.result(await session.run());
  expect(executed).toHaveLength(3);
  expect(result).toMatchObject({ exhausted: null, totals: { lm_calls: 1, executions: 3 } });
  expect(result.state?.nodes).toMatchObject([{ id: '0', status: 'validated' }]);
  expect(finished).toHaveLength(1);
});

describe('a program that comes to no result for reasons that are not its own', () => {
  const unreachable = (scaffold: string) => failed('Unscored', `scaffold ${scaffold} has no result`);
  const node = (id: string) => ({
    id,
    parent_scaffold_id: null,
    iteration: 0,
    status: 'new' as const,
    train: [],
    valid: [],
  });
  const begun = { nodes: [node('0'), node('1')], newcomers: ['0', '1'] };

  test('is given up alone, with what it has paid', async () => {
    const answer = ({ scaffold }: ExecuteScaffoldInput) => {
      if (scaffold === '0') throw unreachable('0');
      return { score: 0.5, ok: true, ...cost(1) };
    };
    const { session, finished } = sessionOf({}, answer, { begun });
    const result = session.result(await session.run());
    expect(result).toMatchObject({ fatal: null, totals: { executions: 3, lm_calls: 1 + 3 + 3 } });
    expect(result.state?.nodes).toMatchObject([
      { id: '0', status: 'unscored', error: 'scaffold 0 has no result', valid: [] },
      { id: '1', status: 'validated' },
    ]);
    expect(finished).toMatchObject([{ validated: [{ scaffold: '1' }] }]);
  });

  test('is given up alone where another one came to a result in between, asking no model', async () => {
    const nodes = ['0', '1', '2'].map(node);
    const answer = ({ scaffold }: ExecuteScaffoldInput) => {
      if (scaffold !== '1') throw unreachable(scaffold);
      return { score: 0.5, ok: true, ...cost(0) };
    };
    const started = { begun: { nodes, newcomers: ['0', '1', '2'] } };
    const alone = sessionOf({}, answer, { ...started, planned: { executor: null } });
    const result = alone.session.result(await alone.session.run());
    expect(result.fatal).toBeNull();
    expect(result.state?.nodes.map(({ status }) => status)).toEqual(['unscored', 'validated', 'unscored']);

    const executor = { max_lm_calls: 2, max_tokens: null };
    const asking = sessionOf({}, answer, { ...started, planned: { executor } });
    expect(asking.session.result(await asking.session.run()).fatal).toContain('nor has the scaffold before');
  });

  test('is the sign of an outage where the next one is as well: then nothing of it is kept', async () => {
    const answer = ({ scaffold }: ExecuteScaffoldInput) => {
      throw unreachable(scaffold);
    };
    const { session, executed, finished } = sessionOf({}, answer, { begun });
    const result = session.result(await session.run());
    expect(new Set(executed.map(({ scaffold }) => scaffold)).size).toBe(2);
    expect(result).toMatchObject({ state: null, exhausted: null });
    expect(result.fatal).toMatch(
      /^scaffold 1 has no result; nor has the scaffold before it, .*the same command continues$/,
    );
    expect(finished).toEqual([]);
  });
});
