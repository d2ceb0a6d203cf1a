import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { CallStore } from '../../src/activities/call-store.js';
import { createLanguageModelActivities } from '../../src/activities/language-model.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import type { RunContexts } from '../../src/activities/run-context.js';
import type { RunLogs } from '../../src/activities/run-log.js';
import type { GenerateInput } from '../../src/contracts/run.js';
import { ComparisonUnavailableError } from '../../src/grading/grade.js';
import { memoryStore } from './executor-support.js';
import { dependencies } from './worker-support.js';

test('a reply whose grader fails at once is kept: the next attempt grades it and pays nothing', async () => {
  const { store } = memoryStore();
  let asked = 0;
  let steps = 0;
  const answer = { done: true, reward: 1, feedback: { correct: true, target: '4', message: '' } };
  const run = {
    store,
    config: {
      lm: { provider: 'openai', model: 'fake', max_attempts: 8, requests_per_second: null, cache: false },
      output: { results_dir: 'results', log_level: 'error' },
    },
    calls: new CallStore(store),
    modelName: 'openai/fake',
    modelAddress: 'openai/fake',
    costOf: () => 1,
    languageModel: async () => ({
      model: {
        generate: async () => {
          asked += 1;
          return { text: '4', finish_reason: 'stop' };
        },
      },
    }),
    tasks: { get: async () => ({}) },
    environment: () => ({
      step: async () => {
        steps += 1;
        if (steps === 1) throw new ComparisonUnavailableError('no thread');
        return { ...answer, info: {} };
      },
    }),
  };
  const runs = { get: async () => run } as unknown as RunContexts;
  const runLogs = { for: () => ({ warn: () => undefined }) } as unknown as RunLogs;
  const given = dependencies({ runLogs });
  const { generate } = createLanguageModelActivities(runs, given, new ModelCalls(given));
  const input = {
    run: 'run',
    call: { sample_id: 's0', trial: 0, purpose: 'act', ordinal: 0 },
    messages: [{ role: 'user', content: '2+2' }],
    step: { index: 0, state: null },
  } as unknown as GenerateInput;
  const attempt = () =>
    new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR', () => undefined) }).run(
      generate,
      input,
    );
  await expect(attempt()).rejects.toThrow(ComparisonUnavailableError);
  expect(await attempt()).toMatchObject({ text: '4', step: answer });
  expect({ asked, steps }).toEqual({ asked: 1, steps: 2 });
});
