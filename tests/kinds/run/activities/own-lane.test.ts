import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { EpisodeRecord } from '../../../../src/contracts/results.js';
import { createOwnLane } from '../../../../src/kinds/run/activities/own-lane.js';
import type { RunContexts } from '../../../../src/kinds/run/activities/run-context.js';
import { newLane } from '../../../../src/kinds/run/lane/lane-state.js';
import type { OwnLaneResult, PortAnswer } from '../../../../src/kinds/run/own-lane.js';
import { offer, withdraw } from '../../../../src/runtime/offers.js';
import { codeNow } from '../../../../src/user-code/code.js';
import { newPool } from '../../../support/built-code.js';
import { userFile } from '../../../support/user-file.js';

/** Does what the question says, after it has asked the model. */
const OBEDIENT = `import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default class Obedient {
  constructor({ languageModel, codeExecutor, memory }) {
    Object.assign(this, { languageModel, codeExecutor, memory });
  }
  async act(observation) {
    const messages = [{ role: 'user', content: observation }];
    const { text } = await this.languageModel.generate({ purpose: 'act', messages });
    if (observation === 'hang') for (;;);
    if (observation === 'spin') for (;;) await null;
    if (observation === 'wait') await new Promise(() => {});
    if (observation === 'exit' || text === 'exit') process.exit(3);
    if (observation === 'read') return String(readFileSync(import.meta.filename ?? __filename).length > 0);
    if (observation === 'forget') void Promise.reject(new Error('nobody awaits this'));
    if (observation === 'stray') setTimeout(() => { throw new Error('nobody catches this'); });
    if (observation === 'swallow') {
      for (;;) await this.languageModel.generate({ purpose: 'act', messages }).catch(() => undefined);
    }
    if (observation === 'program') return (await this.codeExecutor.execute({ code: '1', timeout_sec: 1 })).stdout;
    await sleep(5);
    return text;
  }
}
`;

const RULES = {
  num_trials: 1,
  early_stop_on_success: false,
  carry_memory_across_trials: true,
  max_steps_per_episode: null,
  reset_each_trial: true,
  step_with_reply: false,
};

interface Options {
  /** What the session does instead of answering a call. */
  generate?: (asked: number) => Promise<PortAnswer>;
  source?: string;
  turnSeconds?: number;
  trials?: number;
  memoryScope?: 'sample' | 'run';
}

/** Runs a lane for each of some questions at once, each in the place of a sample of its own. */
async function lanes(questions: readonly string[], { source = OBEDIENT, ...options }: Options = {}) {
  const file = await userFile('agent.ts', source);
  const pool = newPool();
  onTestFinished(() => pool.close());
  const asked: string[] = [];
  const records: EpisodeRecord[] = [];
  const run = {
    config: {
      agent: { type: 'obedient', file, turn_timeout_sec: options.turnSeconds ?? 20 },
      memory: { _type: 'history_list', max_length: 10 },
      runtime: { memory_scope: options.memoryScope ?? 'sample' },
    },
    rules: { ...RULES, num_trials: options.trials ?? 1 },
    ownCode: codeNow([file]),
    log: () => ({ level: 'info', info: () => undefined, warn: () => undefined }),
  };
  const compare = async () => undefined;
  const { runOwnLane } = createOwnLane({ get: async () => run } as unknown as RunContexts, { pool, compare });
  const value = (answer: unknown): PortAnswer => ({ value: answer });
  const hosted = async (question: string, index: number): Promise<OwnLaneResult> => {
    const session = offer({
      mayProceed: async () => value(true),
      openSample: async () => value({ index, id: question, state: null, obs: question }),
      step: async (_sample: unknown, _state: unknown, action: string) => {
        asked.push(`${question}: step ${action}`);
        return value({ feedback: { correct: action === 'right', target: '', message: '' }, done: true });
      },
      generate: async () => {
        asked.push(`${question}: generate`);
        const count = asked.filter((one) => one === `${question}: generate`).length;
        return options.generate === undefined
          ? value({ text: 'right', finish_reason: 'stop' })
          : options.generate(count);
      },
      execute: async () => value({ stdout: 'right' }),
      record: async (episode: EpisodeRecord) => {
        records.push(episode);
        return value(undefined);
      },
      interrupted: () => new Promise(() => undefined),
    });
    const activity = new MockActivityEnvironment();
    try {
      return await activity.run(runOwnLane, { run: 'run', session, state: newLane(index, index + 1, null) });
    } finally {
      withdraw(session);
    }
  };
  const results = await Promise.all(questions.map(hosted));
  const rows = Object.fromEntries(
    records.map(({ sample_id, error, steps }) => [sample_id, error ?? steps.at(-1)?.feedback.correct]),
  );
  return { results, rows, asked, records };
}

test('an agent may be any TypeScript, and needs act alone', async () => {
  const { results, rows } = await lanes(['what?', 'read', 'forget', 'stray', 'program']);
  expect(results.map((result) => 'outcome' in result && result.outcome)).toEqual(Array(5).fill('finished'));
  expect(rows).toEqual({ 'what?': true, read: false, forget: true, stray: true, program: true });
});

test('a turn without an end costs its episode alone, and asks for nothing twice', async () => {
  const others = Array.from({ length: 20 }, (_, index) => `other ${index}`);
  const { rows, asked } = await lanes(['hang', ...others, 'spin', 'wait'], { turnSeconds: 2 });
  const computed = (line: number) => ({
    type: 'EndlessLoop',
    message: `the agent computed for 2 s without a pause (agent.ts:${line}); agent.turn_timeout_sec allows no more`,
  });
  expect(rows).toEqual({
    ...Object.fromEntries(others.map((other) => [other, true])),
    hang: computed(10),
    spin: computed(11),
    wait: {
      type: 'IdleAgent',
      message: 'the agent waited 2 s for none of its calls (agent.turn_timeout_sec)',
    },
  });
  expect(asked.filter((one) => one.endsWith('generate'))).toHaveLength(23);
});

test('one that ends its thread has an error row, and its further trials', async () => {
  const { rows, records } = await lanes(['exit', 'beside'], { trials: 2 });
  expect(rows).toEqual({
    exit: { type: 'AgentEnded', message: 'the agent ended its thread: worker exited with code: 3' },
    beside: true,
  });
  expect(records).toHaveLength(4);
});

test('what was recorded before its thread ended is not recorded again', async () => {
  const generate = async (count: number): Promise<PortAnswer> => ({
    value: { text: count === 3 ? 'exit' : 'right', finish_reason: 'stop' },
  });
  // The state is kept once in a second: after the first trial, not after the second.
  const { records } = await lanes(['what?'], { trials: 3, memoryScope: 'run', generate });
  expect(records.map(({ trial, error }) => [trial, error?.type])).toEqual([
    [0, undefined],
    [1, undefined],
    [2, 'AgentEnded'],
  ]);
});

test('a refusal suspends the lane, an interruption ends it, whatever the agent makes of it', async () => {
  const failed = { type: 'Refused', message: 'no further call' };
  for (const [how, outcome] of [
    ['refusal', 'suspended'],
    ['interruption', 'interrupted'],
  ] as const) {
    const generate = async (count: number): Promise<PortAnswer> =>
      count < 3 ? { value: { text: 'right', finish_reason: 'stop' } } : { failed, how };
    const { results, records } = await lanes(['swallow'], { generate });
    // Its agent cannot be continued within the episode, which begins again.
    expect(results[0]).toMatchObject({ outcome, state: { slot: 0, trial: 0 } });
    expect(results[0]).not.toHaveProperty('state.episode');
    expect(records).toEqual([]);
  }
});

test('a call that fails is an error of the agent, with its type', async () => {
  const generate = async (): Promise<PortAnswer> => ({
    failed: { type: 'content_filter', message: 'withheld' },
    how: 'failure',
  });
  const { rows } = await lanes(['what?'], { generate });
  expect(rows).toEqual({ 'what?': { type: 'content_filter', message: 'withheld' } });
});

test('a class that is no agent, or cannot be loaded, is unfit', async () => {
  const { results } = await lanes(['what?'], { source: 'export default class {}' });
  expect(results).toEqual([
    { unfit: "agent.file: the class lacks the method 'act'; write it, or extend MemoryAgent" },
  ]);
  await expect(lanes(['what?'], { source: 'throw new Error("no key")' })).rejects.toThrow(
    /agent\.file: .*agent\.ts cannot be loaded: no key/,
  );
});
