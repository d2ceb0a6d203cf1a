import { describe, expect, test } from 'vitest';
import type { AgentConfig, ReflectionConfig } from '../../src/config/agent-schemas.js';
import type { Task } from '../../src/contracts/environment.js';
import { MathQAEnv } from '../../src/environments/math-qa.js';
import { MCQEnv } from '../../src/environments/mcq.js';
import { QAEnv } from '../../src/environments/qa.js';
import { configOf } from '../support/configs.js';
import { Bench } from './support.js';

const services = { compareSymbolically: async () => undefined };
const task: Task = { index: 0, id: 's', question: 'Which one?', target: null, metadata: {} };

/** A wrong answer to a question, and what no prompt of a retry may hold. */
const cases: [name: string, environment: QAEnv, wrong: string, secret: string][] = [
  ['a word', new QAEnv({ ...task, target: 'Paris' }, { options: {} }, services), 'Rome', 'Paris'],
  [
    'a long text, which a message cuts short',
    new QAEnv({ ...task, target: `Ypsilanti ${'and more '.repeat(20)}` }, { options: {} }, services),
    'Rome',
    'Ypsilanti',
  ],
  [
    'a text over two lines',
    new QAEnv({ ...task, target: 'Quito\nEcuador' }, { options: {} }, services),
    'Rome',
    'Ecuador',
  ],
  ['a number', new MathQAEnv({ ...task, target: '4711' }, { options: {} }, services), 'It is 12.', '4711'],
  [
    'a solution that ends in its answer',
    new MathQAEnv({ ...task, target: 'Add them up.\n#### 4711' }, { options: {} }, services),
    '12',
    '4711',
  ],
  [
    'a boxed answer',
    new MathQAEnv({ ...task, target: 'So it is \\boxed{\\frac{47}{11}}.' }, { options: {} }, services),
    '12',
    '{47}',
  ],
  [
    'a letter',
    new MCQEnv({ ...task, target: 'Quebec', choices: ['Rome', 'Quebec'] }, { options: {} }, services),
    'Answer: A',
    'A is not B',
  ],
];

const strategies: ReflectionConfig['strategy'][] = [
  'none',
  'last_attempt',
  'reflexion',
  'last_attempt_and_reflexion',
];
const agents: [string, Record<string, unknown>][] = [
  ['memory_agent', { type: 'memory_agent' }],
  ['history_agent', { type: 'history_agent' }],
  ...strategies.map((strategy): [string, Record<string, unknown>] => [
    strategy,
    { type: 'reflexion_agent', reflection_config: { strategy, mode: 'both' } },
  ]),
];

/** Every prompt of an agent that fails three times, reflections included. */
async function promptsOf(config: AgentConfig, environment: QAEnv, wrong: string): Promise<string> {
  const bench = new Bench(config, () => wrong);
  for (const trial of [0, 1, 2]) {
    await bench.agent.reset({ sample_id: 's', trial, num_trials: 3 });
    const { obs } = environment.reset();
    const { feedback } = await environment.step(null, await bench.agent.act(obs.split('\n')[0] ?? ''));
    expect(feedback.correct).toBe(false);
    await bench.agent.observe(null, feedback, true);
    await bench.agent.endEpisode();
  }
  return bench.requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join('\n');
}

describe.each(agents)('with several trials, %s', (_name, agent) => {
  test.each(cases)('never reads the answer where it is %s', async (_kind, environment, wrong, secret) => {
    const byDefault = configOf({ runtime: { num_trials: 3 }, agent }).agent;
    expect(await promptsOf(byDefault, environment, wrong)).not.toContain(secret);
  });
});

test('feedback: full shows the target, so these tests would see a leak', async () => {
  for (const [, environment, wrong, secret] of cases) {
    const { agent } = configOf({ runtime: { num_trials: 3 }, agent: { feedback: 'full' } });
    expect((await promptsOf(agent, environment, wrong)).replaceAll('\\\\', '\\')).toContain(secret);
  }
});
