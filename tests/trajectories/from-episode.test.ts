import { describe, expect, test } from 'vitest';
import type { CallRecord, ChatMessage } from '../../src/contracts/language-model.js';
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
        truncated: false,
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
  expect(made?.timesteps.map((one) => one.available_tool_schemas)).toEqual([
    [
      { type: 'function', function: look },
      { type: 'function', function: wait },
    ],
    null,
  ]);
});

test('tool calls are part of what the assistant said', () => {
  const tool_calls = [{ id: '1', name: 'look', arguments: '{}' }];
  const made = trajectory({}, [call({ step: 0, text: '', tool_calls })]);
  expect(made?.timesteps[0]?.chats[0]?.messages.at(-1)).toEqual({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: '1', type: 'function', function: { name: 'look', arguments: {} } }],
  });
});

describe('messages are what chat templates of today read', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'look' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', name: 'look', arguments: '{"at": {"x": [1, 2.5]}}' },
        { id: 'b', name: 'count', arguments: '' },
        { id: 'c', name: 'count', arguments: '{"up to": 12345678901234567890}' },
        { id: 'c2', name: 'count', arguments: '{"up to": 1e999}' },
        { id: 'd', name: 'count', arguments: '{"up to"' },
        { id: 'e', name: 'count', arguments: '['.repeat(100_000) },
        { id: 'f', name: 'count', arguments: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}` },
      ],
    },
    { role: 'tool', content: 'a cat', tool_call_id: 'a' },
    { role: 'tool', content: 'what?', tool_call_id: 'of nobody' },
  ];
  const chat = trajectory({}, [call({ step: 0, messages, reasoning: 'A cat.' })])?.timesteps[0]?.chats[0];

  test('with calls as functions, whose arguments stay text where they are no object, or would be rounded', () => {
    const calls = chat?.messages[1]?.role === 'assistant' ? (chat.messages[1].tool_calls ?? []) : [];
    const given = calls.map((one) => ('function' in one ? one.function.arguments : null));
    expect(given).toEqual([
      { at: { x: [1, 2.5] } },
      {},
      '{"up to": 12345678901234567890}',
      '{"up to": 1e999}',
      '{"up to"',
      '['.repeat(100_000),
      `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    ]);
    expect(calls[0]).toMatchObject({ id: 'a', type: 'function', function: { name: 'look' } });
  });

  test('with the tool’s name in its answer, and what was thought before a reply', () => {
    expect(chat?.messages.slice(2)).toEqual([
      { role: 'tool', content: 'a cat', tool_call_id: 'a', name: 'look' },
      { role: 'tool', content: 'what?', tool_call_id: 'of nobody' },
      { role: 'assistant', content: 'reply', reasoning_content: 'A cat.' },
    ]);
  });
});

test('a reply has the tokens that its provider sent', () => {
  const tokens = {
    token_ids: [5, 6],
    tokens: ['a', 'b'],
    logprobs: [-0.5, -1],
    top_tokens: [['a', 'x'], ['b']],
    top_logprobs: [[-0.5, -2], [-1]],
  };
  const chats = [tokens, { logprobs: [-1] }, undefined].map(
    (sent) => trajectory({}, [call({ step: 0, tokens: sent })])?.timesteps[0]?.chats[0],
  );
  expect(chats[0]).toMatchObject({
    token_ids: [5, 6],
    logprobs: [-0.5, -1],
    top_tokens: [['a', 'x'], ['b']],
    token_top_logprobs: [[-0.5, -2], [-1]],
  });
  expect(chats[1]).toMatchObject({ logprobs: [-1], top_tokens: null });
  expect(chats[2]).toMatchObject({ logprobs: null, top_tokens: null });
  for (const chat of chats.slice(1)) expect(chat).not.toHaveProperty('token_ids');
});

describe('the last step', () => {
  const end = (fields: Partial<EpisodeRecord>) => {
    const { done, truncated } = trajectory(fields, [act(0)])?.timesteps.at(-1) ?? {};
    return { done, truncated };
  };

  test('is done where the environment is in a terminal state', () => {
    expect(end({})).toEqual({ done: true, truncated: false });
  });

  test('is truncated where the limit of steps cut the episode, which its row says', () => {
    const steps = [{ ...step(false), done: false }];
    expect(end({ steps })).toEqual({ done: false, truncated: true });
    expect(resultRow(episode({ steps }), []).truncated).toBe(true);
    expect(resultRow(episode({}), [])).not.toHaveProperty('truncated');
  });

  test('is truncated where an error ended the episode', () => {
    const error = { type: 'timeout', message: 'late' };
    expect(end({ error, steps: [{ ...step(false), done: false }] })).toEqual({
      done: false,
      truncated: true,
    });
    expect(end({ error, steps: [] })).toEqual({ done: false, truncated: true });
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
