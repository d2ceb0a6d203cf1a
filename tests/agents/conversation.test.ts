import { describe, expect, test } from 'vitest';
import { DEFAULT_SYSTEM_PROMPT } from '../../src/agents/memory-agent.js';
import type { AgentConfig } from '../../src/config/agent-schemas.js';
import { conversationText } from '../../src/contracts/conversation.js';
import type { Feedback } from '../../src/contracts/environment.js';
import type { ChatMessage } from '../../src/contracts/language-model.js';
import { configOf } from '../support/configs.js';
import { CheatsheetBench } from './cheatsheet-bench.js';
import { Bench } from './support.js';

const SYSTEM: ChatMessage = { role: 'system', content: 'Answer in one word.' };
const EARLIER: ChatMessage[] = [
  { role: 'user', content: 'Capitals, please.' },
  { role: 'assistant', content: 'Of which country?' },
];
const LAST: ChatMessage = { role: 'user', content: 'Norway.' };
const TEXT = conversationText([...EARLIER, LAST]);
const WRONG: Feedback = { correct: false, target: 'Oslo', message: 'no' };

const agentOf = (agent: Record<string, unknown>): AgentConfig => configOf({ agent }).agent;

/** An episode over a conversation, with further observations of its environment. */
async function converse(bench: Pick<Bench, 'agent'>, messages: ChatMessage[], ...further: string[]) {
  await bench.agent.reset({ sample_id: 's1', trial: 0, num_trials: 2, messages });
  const observations = [TEXT, ...further];
  for (const [step, observation] of observations.entries()) {
    await bench.agent.act(observation);
    await bench.agent.observe(observations[step + 1] ?? null, WRONG, step === observations.length - 1);
  }
  await bench.agent.endEpisode();
}

describe.each(['history_agent', 'memory_agent', 'reflexion_agent'])('%s', (type) => {
  test('puts the earlier turns before the last one, which it shows as it is', async () => {
    const bench = new Bench(agentOf({ type }));
    await converse(bench, [...EARLIER, LAST]);
    expect(bench.requests[0]?.messages).toEqual([
      { role: 'system', content: DEFAULT_SYSTEM_PROMPT },
      ...EARLIER,
      LAST,
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['in the place of the default one', {}, 'Answer in one word.'],
    ['after one of the config', { system_prompt: 'Be kind.' }, 'Be kind.\n\nAnswer in one word.'],
  ])('puts a system message of the task %s', async (_, agent, content) => {
    const bench = new Bench(agentOf({ type, ...agent }));
    await converse(bench, [SYSTEM, ...EARLIER, LAST]);
    expect(bench.requests[0]?.messages).toEqual([{ role: 'system', content }, ...EARLIER, LAST]);
  });

  test('remembers the whole conversation as a text, and shows it to a later sample', async () => {
    const bench = new Bench(agentOf({ type }));
    await converse(bench, [SYSTEM, ...EARLIER, LAST]);
    await bench.agent.reset({ sample_id: 's2', trial: 0, num_trials: 1 });
    await bench.agent.act('And of Chile?');
    expect(bench.prompt()).toContain(TEXT);
    expect(bench.prompt()).not.toContain('Answer in one word.');
    expect(bench.prompt()).toMatch(/(?:Observation|Q): And of Chile\?$/);
    expect(bench.requests.at(-1)?.messages).toHaveLength(2);
  });

  test('shows the memory above the last turn', async () => {
    const bench = new Bench(agentOf({ type }), undefined, [
      { _type: 'experience', obs: 'Chile.', action: 'Santiago', feedback: { correct: true, message: 'yes' } },
    ]);
    await converse(bench, [...EARLIER, LAST]);
    expect(bench.requests[0]?.messages.slice(1, 3)).toEqual(EARLIER);
    expect(bench.prompt(0)).toMatch(/Santiago[\s\S]*\n(?:Observation|Q): Norway\.$/);
  });

  test('keeps the turns before later observations of an episode, also in another execution', async () => {
    const bench = new Bench(agentOf({ type, history_k: 0 }));
    await converse(bench, [SYSTEM, ...EARLIER, LAST], 'Try again.');
    const [, second] = bench.requests.filter(({ purpose }) => purpose === 'act');
    expect(second?.messages).toEqual([SYSTEM, ...EARLIER, { role: 'user', content: 'Try again.' }]);

    const other = new Bench(agentOf({ type, history_k: 0 }));
    await bench.agent.reset({ sample_id: 's1', trial: 0, num_trials: 1, messages: [...EARLIER, LAST] });
    const state = JSON.parse(JSON.stringify(bench.agent.snapshot()));
    await other.agent.restore(state);
    await other.agent.act(TEXT);
    expect(other.requests[0]?.messages.slice(1)).toEqual([...EARLIER, LAST]);
  });
});

test('a reflection is written about the whole conversation', async () => {
  const bench = new Bench(agentOf({ type: 'reflexion_agent' }));
  await converse(bench, [SYSTEM, ...EARLIER, LAST]);
  expect(bench.purposes).toEqual(['act', 'reflect']);
  expect(bench.prompt()).toContain(`Observation: ${TEXT}`);
});

describe('dynamic_cheatsheet_agent', () => {
  test('puts the earlier turns before its prompt, and shows the curator all of them', async () => {
    const bench = new CheatsheetBench({ agent: { mode: 'cumulative' } });
    await converse(bench, [SYSTEM, ...EARLIER, LAST]);
    const [act, curate] = bench.requests;
    expect(act?.messages.slice(0, 3)).toEqual([SYSTEM, ...EARLIER]);
    expect(act?.messages.at(-1)?.content).toMatch(/## Task\nNorway\.$/);
    expect(curate?.messages).toHaveLength(1);
    expect(curate?.messages[0]?.content).toContain(`## The task\n${TEXT}`);
  });

  test('finds similar tasks by the whole conversation', async () => {
    const bench = new CheatsheetBench({ agent: { mode: 'dynamic_retrieval' } });
    await converse(bench, [...EARLIER, LAST]);
    await bench.agent.reset({ sample_id: 's2', trial: 0, num_trials: 1, messages: [...EARLIER, LAST] });
    await bench.agent.act(TEXT);
    expect(bench.requests.at(-1)?.messages.at(-1)?.content).toContain(`Task:\n${TEXT}`);
  });
});
