import { expect, test } from 'vitest';
import type { EvolveState, IterationResult, ScaffoldNode } from '../../../../src/kinds/evolve/contracts.js';
import { noEvolveTotals } from '../../../../src/kinds/evolve/evolution/totals.js';
import { type IterationSteps, iterate, type Reached } from '../../../../src/kinds/evolve/workflow/evolve.js';

const totals = (lm_calls: number) => ({ ...noEvolveTotals(), lm_calls });
const stateAt = (next_iteration: number): EvolveState => ({
  next_iteration,
  ids: {},
  nodes: [],
  selection: null,
  newcomers: [],
  totals: totals(next_iteration),
});

/** The iteration that a state begins; `fields` say how it ended otherwise than well. */
function resultOf(state: EvolveState, fields: Partial<IterationResult> = {}): IterationResult {
  const ended = stateAt(state.next_iteration + 1);
  return {
    lines: [],
    state: ended,
    totals: ended.totals,
    exhausted: null,
    fatal: null,
    tested: null,
    ...fields,
  };
}

async function iterated(steps: Partial<IterationSteps>) {
  const reached: Reached = { state: stateAt(0), tested: null };
  const begun: string[] = [];
  const run: IterationSteps['run'] = async (state, closing) => {
    begun.push(closing ? 'closing' : String(state.next_iteration));
    return (steps.run ?? (async () => resultOf(state)))(state, closing);
  };
  const continues = () => true;
  const going = iterate(reached, { num_iterations: 2 }, { continues, rest: async () => {}, ...steps, run });
  const ended = await going
    .then((isComplete) => ({ isComplete, error: null }))
    .catch((error: unknown) => ({ isComplete: null, error }));
  return { reached, begun, ...ended };
}

test('iterations follow each other, and the closing one tells the test score', async () => {
  const tested = { scaffold: '0', score: 1 };
  const { reached, begun, isComplete } = await iterated({
    run: async (state, closing) => resultOf(state, closing ? { tested } : {}),
  });
  expect(isComplete).toBe(true);
  expect(begun).toEqual(['0', '1', '2', 'closing']);
  expect(reached).toEqual({ state: stateAt(4), tested });
});

test('a cancelled experiment has come as far as its last finished iteration', async () => {
  const { reached, begun, error } = await iterated({
    run: async (state) => {
      if (state.next_iteration === 2) throw new Error('cancelled');
      return resultOf(state);
    },
  });
  expect(error).toMatchObject({ message: 'cancelled' });
  expect(begun).toEqual(['0', '1', '2']);
  expect(reached).toEqual({ state: stateAt(2), tested: null });
});

test('an iteration that is not finished ends it, with what was paid, and with what it has learned', async () => {
  const node = (id: string, status: ScaffoldNode['status'], score?: number): ScaffoldNode => ({
    id,
    parent_scaffold_id: null,
    iteration: 0,
    status,
    train: [],
    valid: score === undefined ? [] : [{ iteration: 1, score }],
  });
  const made = [node('0', 'new'), node('1', 'new')];
  const learned = [node('0', 'validated', 0.5), node('1', 'unscored'), node('0-0', 'new')];
  const { reached, begun, isComplete } = await iterated({
    run: async (state) =>
      state.next_iteration === 1
        ? resultOf(state, { state: null, totals: totals(9), nodes: learned })
        : resultOf(state, { state: { ...stateAt(1), nodes: made } }),
  });
  expect(isComplete).toBe(false);
  expect(begun).toEqual(['0', '1']);
  // Whom it gave up is tried again by the next execution.
  const nodes = [learned[0], made[1], learned[2]];
  expect(reached.state).toEqual({ ...stateAt(1), nodes, totals: totals(9) });
});

test('one that broke ends it, and so does whatever lets nothing continue', async () => {
  expect(await iterated({ run: async () => null })).toMatchObject({
    begun: ['0'],
    reached: { state: stateAt(0) },
  });
  let rests = 0;
  const { begun } = await iterated({
    continues: () => rests === 0,
    rest: async () => {
      rests += 1;
    },
  });
  expect(begun).toEqual(['0']);
});
