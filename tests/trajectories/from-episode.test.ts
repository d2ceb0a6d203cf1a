import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { EpisodeRecord } from '../../src/contracts/results.js';
import { resultRow } from '../../src/statistics/result-row.js';
import { trajectoryOf } from '../../src/trajectories/from-episode.js';
import { textOf } from '../../src/trajectories/message.js';
import { episodeReturn } from '../../src/trajectories/returns.js';
import type { TrajectoryData } from '../../src/trajectories/schema.js';
import { call, episode, step } from '../support/rows.js';

const act = (number: number) => call({ step: number, text: `act ${number}` });
const reflect = (number: number) => call({ step: number, purpose: 'reflect', text: `reflect ${number}` });

function trajectory(fields: Partial<EpisodeRecord>, calls: CallRecord[]): TrajectoryData | null {
  return trajectoryOf(resultRow(episode(fields), calls), calls, 7);
}

/** What each step was led to by: the replies of its chats. */
function replies(made: TrajectoryData | null): string[][] | undefined {
  return made?.timesteps.map(({ chats }) =>
    chats.map(({ messages }) => messages.slice(-1).map(textOf).join()),
  );
}

test('one step makes a whole trajectory', () => {
  expect(trajectory({}, [act(0)])).toEqual({
    timesteps: [
      {
        chats: [
          {
            messages: [
              { role: 'user', content: 'question' },
              { role: 'assistant', content: 'act 0' },
            ],
            logprobs: null,
            top_tokens: null,
            token_top_logprobs: null,
          },
        ],
        reward: 1,
        mc_return: null,
        done: true,
        available_tool_schemas: null,
        advantage: null,
      },
    ],
    reset_kwargs: { task_id: 's1', trial: 0, seed: 7 },
    error_info: null,
    episode_id: 's1/0',
    schema_version: 1,
  });
});

describe('several steps', () => {
  const steps = [step(false), step(false), step(true)];

  test('have a reward each, and only the last is done', () => {
    const made = trajectory({ steps }, [act(0), act(1), act(2)]);
    expect(made?.timesteps.map(({ reward, done }) => [reward, done])).toEqual([
      [0, false],
      [0, false],
      [1, true],
    ]);
  });

  test('have the calls that led to them; a reflection after the last stays with it', () => {
    const calls = [act(0), reflect(0), act(1), act(2), reflect(3)];
    expect(replies(trajectory({ steps }, calls))).toEqual([
      ['act 0', 'reflect 0'],
      ['act 1'],
      ['act 2', 'reflect 3'],
    ]);
  });

  test.each<[number[], number[]]>([
    // [steps with a call, rewards of the time steps]
    [
      [0, 1],
      [0, 3],
    ],
    [[0], [3]],
    [[1], [3]],
    [[2], [3]],
    [
      [0, 2],
      [1, 2],
    ],
  ])('with calls in %j alone keep their sum, each reward with the call before it: %j', (called, rewards) => {
    const earned = [0, 1, 2].map((reward) => ({ ...step(false), reward }));
    const made = trajectory({ steps: earned }, called.map(act));
    expect(made?.timesteps.map(({ reward }) => reward)).toEqual(rewards);
    expect(made && episodeReturn(made)).toBe(3);
  });
});

test('a step names the tools that its calls were offered, each once', () => {
  const look = { name: 'look', parameters: { type: 'object' } };
  const wait = { name: 'wait', description: 'for long', parameters: {} };
  const calls = [
    call({ step: 0, tools: [look, wait] }),
    call({ step: 0, ordinal: 1, tools: [look] }),
    call({ step: 1, ordinal: 2 }),
  ];
  const made = trajectory({ steps: [step(false), step(true)] }, calls);
  expect(made?.timesteps.map((one) => one.available_tool_schemas)).toEqual([[look, wait], null]);
});

test('tool calls are part of what the assistant said', () => {
  const tool_calls = [{ id: '1', name: 'look', arguments: '{}' }];
  const made = trajectory({}, [call({ step: 0, text: '', tool_calls })]);
  expect(made?.timesteps[0]?.chats[0]?.messages.at(-1)).toEqual({
    role: 'assistant',
    content: '',
    tool_calls,
  });
});

test('an error is told, and nothing of the episode is rewarded', () => {
  const error = { type: 'timeout', message: 'no answer in time' };
  const made = trajectory({ steps: [step(true)], error }, [act(0), act(1)]);
  expect(made?.error_info).toEqual({ error_type: 'timeout', message: 'no answer in time', traceback: '' });
  expect(made?.timesteps.map(({ reward }) => reward)).toEqual([null]);
  expect(made?.timesteps.at(-1)?.done).toBe(true);
});

test('without an answered call there is none: a step needs a chat', () => {
  expect(trajectory({ steps: [], error: { type: 'timeout', message: '' } }, [])).toBeNull();
});

test('survives JSON, with every step’s chats', () => {
  const made = trajectory({ steps: [step(false), step(true)] }, [act(0), act(1)]);
  expect(JSON.parse(JSON.stringify(made))).toEqual(made);
});
