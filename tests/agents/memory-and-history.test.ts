import { describe, expect, test } from 'vitest';
import { DEFAULT_SYSTEM_PROMPT } from '../../src/agents/memory-agent.js';
import type { AgentConfig } from '../../src/config/agent-schemas.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { Entry } from '../../src/memory/entries.js';
import { EmptyReplyError } from '../../src/replies/reply-faults.js';
import { Bench } from './support.js';

const history: AgentConfig = { type: 'history_agent', system_prompt: null, history_k: 10, feedback: 'full' };
const memory: AgentConfig = { ...history, type: 'memory_agent' };

const earlier: Entry[] = [
  { _type: 'reflection', content: 'count twice' },
  { _type: 'Observation', content: '1 + 1?' },
  { _type: 'Action', content: '2' },
  { _type: 'Feedback', content: '{"correct":true}' },
  { _type: 'experience', obs: '2 + 2?', action: '5', feedback: { correct: false, message: 'no' } },
];

describe('the history agent', () => {
  test('shows entries as <TYPE>: <content> and the observation last, under the system prompt', async () => {
    const bench = new Bench(history, undefined, earlier);
    await bench.agent.act('3 + 3?');
    expect(bench.requests).toEqual([
      {
        purpose: 'act',
        messages: [
          { role: 'system', content: DEFAULT_SYSTEM_PROMPT },
          {
            role: 'user',
            content: [
              'Reflection: count twice',
              'Observation: 1 + 1?',
              'Action: 2',
              'Feedback: {"correct":true}',
              'Observation: 2 + 2?\nAction: 5\nFeedback: {"correct":false,"message":"no"}',
              'Observation: 3 + 3?',
            ].join('\n'),
          },
        ],
      },
    ]);
  });

  test('logs each step as an Observation, an Action and a Feedback with their origin', async () => {
    const bench = new Bench(history);
    await bench.episode('s1', 2, true);
    const origin = { sample_id: 's1', trial: 2 };
    const feedback = { correct: true, target: 'gold', message: 'checked' };
    expect(bench.memory.recall()).toEqual([
      { _type: 'Observation', content: 's1 obs 0', ...origin },
      { _type: 'Action', content: 'act 1', ...origin },
      { _type: 'Feedback', content: JSON.stringify(feedback), ...origin },
    ]);
  });

  test('shows an earlier sample to a later one', async () => {
    const bench = new Bench(history);
    await bench.episode('s1', 0, false);
    await bench.episode('s2', 0, false);
    expect(bench.prompt()).toMatch(
      /^Observation: s1 obs 0\nAction: act 1\nFeedback: .*\nObservation: s2 obs 0$/,
    );
  });
});

describe('the memory agent', () => {
  test('shows experience as question, answer and feedback', async () => {
    const bench = new Bench(memory, undefined, earlier);
    await bench.agent.act('3 + 3?');
    expect(bench.prompt().split('\n').slice(-4)).toEqual([
      'Q: 2 + 2?',
      'A: 5',
      'F: {"correct":false,"message":"no"}',
      'Q: 3 + 3?',
    ]);
  });

  test('remembers each step whole', async () => {
    const bench = new Bench({ ...memory, feedback: 'outcome' });
    await bench.episode('s1', 0, false, true);
    expect(bench.memory.recall()).toMatchObject([
      { _type: 'experience', obs: 's1 obs 0', action: 'act 1', feedback: { correct: false } },
      { _type: 'experience', obs: 's1 obs 1', action: 'act 2', feedback: { correct: true } },
    ]);
  });
});

describe.each([history, memory])('$type', (config) => {
  test.each([
    [0, []],
    [1, ['2 + 2?']],
    [2, ['{"correct":true}', '2 + 2?']],
    [100, ['count twice', '1 + 1?', '{"correct":true}', '2 + 2?']],
  ])('with history_k %i shows the newest entries, oldest first', async (history_k, shown) => {
    const bench = new Bench({ ...config, history_k }, undefined, earlier);
    await bench.agent.act('3 + 3?');
    const marks = ['count twice', '1 + 1?', '{"correct":true}', '2 + 2?'];
    expect(marks.filter((mark) => bench.prompt().includes(mark))).toEqual(shown);
    const places = shown.map((mark) => bench.prompt().indexOf(mark));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  test('takes a system prompt from the config, an empty one too', async () => {
    for (const system_prompt of ['You are a judge.', '']) {
      const bench = new Bench({ ...config, system_prompt });
      await bench.agent.act('q');
      expect(bench.requests[0]?.messages[0]).toEqual({ role: 'system', content: system_prompt });
    }
  });

  test.each(['', ' \n\t'])(
    'an empty reply (%j) is an EmptyReplyError and leaves nothing behind',
    async (text) => {
      const bench = new Bench(config, () => text);
      await expect(bench.agent.act('q')).rejects.toThrow(EmptyReplyError);
      await expect(bench.agent.act('q')).rejects.toThrow('finish reason: stop');
      expect(bench.memory.recall()).toEqual([]);
    },
  );

  test('the reply is the action as it was said', async () => {
    const bench = new Bench(config, () => '  the answer\n');
    expect(await bench.agent.act('q')).toBe('  the answer\n');
  });

  test('continues from a snapshot as if nothing had been', async () => {
    const [whole, handedOn] = [new Bench(config), new Bench(config)];
    for (const bench of [whole, handedOn]) {
      await bench.agent.reset({ sample_id: 's1', trial: 1, num_trials: 3 });
      await bench.agent.act('first');
    }
    const saved = JSON.parse(JSON.stringify(handedOn.agent.snapshot())) as JsonObject;
    await handedOn.agent.reset({ sample_id: 'other', trial: 0, num_trials: 1 });
    await handedOn.agent.restore(saved);
    const feedback = { correct: false, target: 'gold', message: 'no' };
    for (const bench of [whole, handedOn]) await bench.agent.observe(null, feedback, true);
    expect(handedOn.memory.recall()).toEqual(whole.memory.recall());
    expect(handedOn.agent.snapshot()).toEqual(whole.agent.snapshot());
  });
});
