import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EvolveCarried, EvolvePlan } from '../../../../src/kinds/evolve/contracts.js';
import { noEvolveTotals } from '../../../../src/kinds/evolve/evolution/totals.js';
import { EvolveControl } from '../../../../src/kinds/evolve/workflow/evolve-control.js';
import { enterWorkflow, leaveWorkflow } from '../../../support/workflow-context.js';

beforeEach(() => {
  enterWorkflow();
});
afterEach(leaveWorkflow);

const PLAN = {
  experiment: 'mine',
  num_iterations: 3,
  concurrency: 5,
  search_attributes: [],
  artifacts: '',
  state: { nodes: [], totals: noEvolveTotals() },
} as unknown as EvolvePlan;

const CARRIED: Pick<EvolveCarried, 'asked' | 'said'> = {
  asked: { paused: true, stopping: false, exhausted: null, concurrency: 2 },
  said: { lines: ['a'], line_count: 7 },
};

test('an experiment that continues continues as it was', () => {
  const control = new EvolveControl(CARRIED);
  control.begin(PLAN);
  expect(control.handOver()).toEqual(CARRIED);
  expect(control.progress().phase).toBe('paused');
});

test('what is asked of it before it has begun again is not taken back', () => {
  const control = new EvolveControl(CARRIED);
  control.pause(false);
  control.setConcurrency(9);
  control.begin(PLAN);
  expect(control.asked()).toMatchObject({ paused: false, concurrency: 9 });
  expect(control.progress().phase).toBe('running');
});

test('nor is what is asked while it is prepared', () => {
  const control = new EvolveControl();
  control.setConcurrency(9);
  control.pause(true);
  expect(control.progress().phase).toBe('preparing');
  control.begin(PLAN);
  expect(control.asked()).toMatchObject({ paused: true, concurrency: 9 });
  expect(control.progress().phase).toBe('paused');
});

test('one that is being stopped does not run again because it is resumed', () => {
  const control = new EvolveControl();
  control.begin(PLAN);
  expect(control.asked().concurrency).toBe(5);
  control.pause(true);
  control.stop();
  control.pause(false);
  expect(control.progress().phase).toBe('stopping');
  expect(control.continues()).toBe(false);
});

test('what it told of an iteration is for the log where the iteration did not come to its end', () => {
  const control = new EvolveControl();
  control.begin(PLAN);
  const { totals } = PLAN.state;
  const iteration = (number: number) => {
    const from = { workflow_id: `mine/iteration-${number}`, first: `first-${number}`, run: 'run' };
    control.begins(from.workflow_id);
    const handle = { workflowId: from.workflow_id, firstExecutionRunId: from.first } as never;
    control.joined(handle, `[Iteration ${number}] begins`);
    return from;
  };
  const ended = { totals, exhausted: null, fatal: null, tested: null };
  control.receive({ from: iteration(1), lines: ['first'], nodes: [], totals });
  control.left({ ...ended, lines: ['second'], state: PLAN.state });
  expect(control.unloggedLines()).toEqual({ lines: [], line_times: [] });
  control.receive({ from: iteration(2), lines: ['third'], nodes: [], totals });
  control.left({ ...ended, lines: ['fourth'], state: null });
  expect(control.unloggedLines()).toEqual({
    lines: ['[Iteration 2] begins', 'third', 'fourth'],
    line_times: [expect.any(Number), expect.any(Number), expect.any(Number)],
  });
  expect(control.progress().lines).toEqual([
    '[Iteration 1] begins',
    'first',
    'second',
    '[Iteration 2] begins',
    'third',
    'fourth',
  ]);
});

test('a stop, or a limit, that comes when all is done takes nothing away', () => {
  const asks = [
    (control: EvolveControl) => control.stop(),
    (control: EvolveControl) => control.exhaust('spent'),
  ];
  for (const [index, ask] of asks.entries()) {
    const control = new EvolveControl();
    control.begin(PLAN);
    ask(control);
    expect(control.outcome(false).status).toBe(['stopped', 'limit_reached'][index]);
    control.allBegun();
    expect(control.outcome(false)).toEqual({ status: 'done', message: null });
    expect(control.outcome(true).status).toBe('cancelled');
  }
});
