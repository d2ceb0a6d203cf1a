import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../../../../src/contracts/language-model.js';
import { scaffoldTrajectories } from '../../../../src/kinds/evolve/activities/scaffold-trajectories.js';
import type { LineageNode } from '../../../../src/kinds/evolve/evolution/lineage.js';
import { withAdvantages } from '../../../../src/trajectories/advantages.js';
import { isKept } from '../../../../src/trajectories/exports/index.js';
import { episodeReturn, isTruncated } from '../../../../src/trajectories/returns.js';

function node(id: string, parent: string | null, score: number | 'failed' | 'duplicate'): LineageNode {
  return {
    id,
    parent_scaffold_id: parent,
    iteration: parent === null ? 0 : 1,
    status: typeof score === 'number' ? 'validated' : score,
    train: [],
    valid: typeof score === 'number' ? [{ iteration: 1, score }] : [],
    ...(score === 'failed' ? { error: 'The program does not compile.' } : {}),
  };
}

const call = (id: string, purpose: string, ordinal = 0) =>
  ({
    sample_id: id,
    trial: 0,
    purpose,
    ordinal,
    messages: [{ role: 'user', content: 'Write a scaffold.' }],
    text: `reply ${ordinal}`,
  }) as unknown as CallRecord;

const NODES = [
  node('0', null, 0.25),
  node('0-0', '0', 0.5),
  node('0-1', '0', 1),
  node('1', null, 0.75),
  node('1-0', '1', 'duplicate'),
  node('2', null, 'failed'),
];
const CALLS = [
  ...NODES.map(({ id, parent_scaffold_id: parent }) => call(id, parent === null ? 'generate' : 'evolve')),
  call('2', 'generate', 1),
  call('2', 'generate', 2),
  call('0/1/valid/x/abc', 'executor'),
];
const made = [...scaffoldTrajectories(NODES, CALLS, 7)];

describe('the trajectories of scaffolds', () => {
  test('are one a scaffold, with a step for each try', () => {
    expect(made.map(({ episode_id, timesteps }) => [episode_id, timesteps.length])).toEqual([
      ['0/0', 1],
      ['0-0/0', 1],
      ['0-1/0', 1],
      ['1/0', 1],
      ['1-0/0', 1],
      ['2/0', 3],
    ]);
    expect(made.map((trajectory) => trajectory.timesteps.at(-1)?.reward)).toEqual([
      0.25,
      0.5,
      1,
      0.75,
      null,
      0,
    ]);
  });

  test('have the tools that an agent was offered, and what it called', () => {
    const tools = [{ name: 'submit_scaffold', description: 'Hands in.', parameters: { type: 'object' } }];
    const tool_calls = [{ id: 'c0', name: 'submit_scaffold', arguments: '{}' }];
    const turn = { ...call('0', 'generate'), tools, tool_calls };
    const [written] = scaffoldTrajectories([node('0', null, 1)], [turn], 7);
    expect(written?.timesteps[0]?.available_tool_schemas).toEqual([{ type: 'function', function: tools[0] }]);
    expect(written?.timesteps[0]?.chats[0]?.messages.at(-1)).toMatchObject({
      tool_calls: [{ id: 'c0', type: 'function', function: { name: 'submit_scaffold', arguments: {} } }],
    });
    expect(made[0]?.timesteps[0]?.available_tool_schemas).toBeNull();
  });

  test('that gave no program have a return of 0, and are kept by exports', () => {
    const failed = made.find(({ episode_id }) => episode_id === '2/0');
    expect(failed && episodeReturn(failed)).toBe(0);
    expect(made.filter(isTruncated)).toEqual([failed]);
    expect(failed && isKept(failed, { withoutErrors: true, minimumReward: 0 })).toBe(true);
  });

  test('are trials of a task that they share, so that advantages have something to compare', () => {
    expect(made.map(({ reset_kwargs }) => [reset_kwargs.task_id, reset_kwargs.trial])).toEqual([
      ['generate', 0],
      ['evolve 0', 0],
      ['evolve 0', 1],
      ['generate', 1],
      ['evolve 1', 0],
      ['generate', 2],
    ]);
    const advantages = withAdvantages(made, { discount: 1, scale: 'none' }).map(
      ({ timesteps }) => timesteps.at(-1)?.advantage,
    );
    expect(advantages.map((advantage) => advantage && Number(advantage.toFixed(6)))).toEqual([
      -0.083333,
      -0.25,
      0.25,
      0.416667,
      null,
      -0.333333,
    ]);
  });
});
