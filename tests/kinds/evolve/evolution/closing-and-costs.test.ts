import { describe, expect, test } from 'vitest';
import type { EvolveState, ScaffoldNode } from '../../../../src/kinds/evolve/contracts.js';
import { closeEvolution } from '../../../../src/kinds/evolve/evolution/closing.js';
import type { IterationOutcome } from '../../../../src/kinds/evolve/evolution/iteration.js';
import type { ExecutionRequest } from '../../../../src/kinds/evolve/evolution/iteration-ports.js';
import { ScaffoldCosts } from '../../../../src/kinds/evolve/evolution/scaffold-costs.js';

function node(id: string, more: Partial<ScaffoldNode> = {}): ScaffoldNode {
  return { id, parent_scaffold_id: null, iteration: 0, status: 'new', train: [], valid: [], ...more };
}

const validated = (id: string, iteration: number, score: number, made = 0) =>
  node(id, { iteration: made, status: 'validated', valid: [{ iteration, score }] });

/** Closes an evolution after iteration 2; answers with what was asked for. */
async function close(
  state: Partial<EvolveState>,
  { final_validation = true, test = ['x', 'y'] } = {},
  lost = '',
) {
  const whole = { next_iteration: 3, newcomers: [], nodes: [], ...state } as unknown as EvolveState;
  const asked: ExecutionRequest[] = [];
  const said: string[] = [];
  let validations = 0;
  const closed = await closeEvolution({
    plan: { final_validation, test } as unknown as Parameters<typeof closeEvolution>[0]['plan'],
    state: whole,
    iteration: {
      validate: async () => {
        validations += 1;
        const nodes = [validated('1', 3, 0.75, 1)];
        const after = { ...whole, nodes, next_iteration: 4, newcomers: ['gone'] };
        return { state: after, parents: [], validated: [], trained: [] } as IterationOutcome;
      },
    },
    ports: {
      execute: async (request) => {
        asked.push(request);
        if (request.example === lost) return { unscored: 'its model is unreachable' };
        return request.example === 'x' ? 1 : 0.5;
      },
      say: (line) => said.push(line),
      announce: (line) => said.push(line),
    },
  });
  return { closed, asked, said, validations };
}

describe('the end of an evolution', () => {
  test('validates what is new, tests the best, and leaves the next iteration as it was', async () => {
    const { closed, asked, validations } = await close({ newcomers: ['1'], nodes: [node('1')] });
    expect(validations).toBe(1);
    expect(closed.tested).toEqual({ scaffold: '1', score: 0.75 });
    expect(closed.state).toMatchObject({ next_iteration: 3, newcomers: ['1'] });
    // A test run belongs to the scaffold, however far the experiment is extended.
    expect(asked.map(({ iteration, made_in, type }) => ({ iteration, made_in, type }))).toEqual(
      Array(2).fill({ iteration: 1, made_in: 1, type: 'test' }),
    );
  });

  test.each<[string, Partial<EvolveState>, object, number]>([
    ['the best has its score from before the last iteration', { nodes: [validated('0', 1, 1)] }, {}, 1],
    ['the best has its score from the last iteration', { nodes: [validated('0', 2, 1)] }, {}, 0],
    ['nobody wants it', { newcomers: ['1'], nodes: [node('1')] }, { final_validation: false }, 0],
    ['there is nothing', {}, {}, 0],
  ])('where %s', async (_what, state, options, validations) => {
    expect((await close(state, options)).validations).toBe(validations);
  });

  test('tests nothing where there is no test data, or nothing was validated', async () => {
    expect((await close({ nodes: [validated('0', 2, 1)] }, { test: [] })).closed.tested).toBeNull();
    expect((await close({ nodes: [node('0')] })).closed.tested).toBeNull();
  });
});

test('a best scaffold that cannot be tested has no test score, and no part of one', async () => {
  const { closed, said } = await close({ nodes: [validated('0', 2, 1)] }, {}, 'y');
  expect(closed.tested).toBeNull();
  expect(said.slice(1)).toEqual([
    '[Closing] Warning: scaffold 0 has no test score: its model is unreachable',
  ]);
});

describe('what scaffolds cost', () => {
  test('is added to what they had cost before, and unknown once a price is', () => {
    const costs = new ScaffoldCosts();
    costs.add('0', 0.1);
    costs.add('0', 0.2);
    costs.add('1', null);
    costs.add('1', 1);
    costs.add('2', 1);
    costs.add('3', 1);
    const nodes = [
      node('0'),
      node('1', { cost_usd: 5 }),
      node('2', { cost_usd: null }),
      node('3', { cost_usd: 2 }),
    ];
    expect(costs.addedTo([...nodes, node('4')]).map(({ cost_usd }) => cost_usd)).toEqual([
      0.3,
      null,
      null,
      3,
      undefined,
    ]);
    // Nothing is added twice, and another execution continues with it.
    const carried = new ScaffoldCosts(JSON.parse(JSON.stringify(costs.spent)));
    expect(carried.addedTo(nodes)).toEqual(costs.addedTo(nodes));
  });
});
