import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { CallStore } from '../../src/activities/call-store.js';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import type { EvolveContexts } from '../../src/activities/evolve/evolve-context.js';
import { createProposeScaffold } from '../../src/activities/evolve/propose-scaffold.js';
import { ScaffoldChecks } from '../../src/activities/evolve/scaffold-checks.js';
import { ScaffolderCalls } from '../../src/activities/evolve/scaffolder-calls.js';
import { ModelCalls } from '../../src/activities/model-calls.js';
import type { ProposeScaffoldInput } from '../../src/contracts/evolve.js';
import type { GenerateReply } from '../../src/contracts/language-model.js';
import { AdaptiveLimit } from '../../src/language-models/adaptive-limit.js';
import { LanguageModelError, type LanguageModelErrorKind } from '../../src/language-models/errors.js';
import { memoryStore } from './executor-support.js';

const input: ProposeScaffoldInput = {
  run: 'run',
  iteration: 0,
  id: '0',
  parent: null,
  parent_made_in: null,
  runs: [],
  examples: [],
  attempt: 0,
  faults: [],
  known: {},
};

/** Asks a scaffolder that fails in this way. */
const propose = (kind: LanguageModelErrorKind) =>
  proposeBy(async () => {
    const said = 'refused the request (HTTP 400): too long';
    throw new LanguageModelError(kind, said, { provider: 'fake' });
  });

/** Asks this scaffolder. */
function proposeBy(generate: () => Promise<GenerateReply>) {
  const { store } = memoryStore();
  const log = { warn: () => undefined };
  const scaffolder = {
    lm: { provider: 'openai', model: 'fake', max_attempts: 8, requests_per_second: null, cache: false },
    store,
    log,
    modelName: 'openai/fake',
    languageModel: async () => ({ model: { generate } }),
    costOf: () => 0,
  };
  const context = {
    store,
    log,
    scaffolder,
    calls: new CallStore(store),
    config: { task_prompt: 'Solve it.', executor: null, timeout_sec: 10 },
    domain: { answerFormat: '', expectedOutput: () => '' },
  };
  const contexts = { get: async () => context } as unknown as EvolveContexts;
  const dependencies = { notify: () => undefined, maxConcurrentCalls: 1 } as unknown as WorkerDependencies;
  const slots = new AdaptiveLimit({ maximum: 1 });
  const activity = createProposeScaffold(contexts, {
    calls: new ScaffolderCalls(new ModelCalls(dependencies), dependencies),
    checks: new ScaffoldChecks(dependencies, slots),
  });
  const logger = new DefaultLogger('ERROR', () => undefined);
  return new MockActivityEnvironment({}, { logger }).run(activity, input);
}

describe('a prompt for a scaffold', () => {
  test('that the provider refuses for its content is a failed try, which costs nothing', async () => {
    expect(await propose('bad_request')).toEqual({
      ok: false,
      fault: 'refused the request (HTTP 400): too long',
      lm_calls: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      cost_usd: 0,
    });
  });

  test.each<[LanguageModelErrorKind, object]>([
    ['authentication', { type: 'FatalProvider', nonRetryable: true }],
    ['no_such_rule', { type: 'no_such_rule', nonRetryable: true }],
    ['overloaded', { type: 'overloaded', nonRetryable: false }],
  ])('that fails with %s is none', async (kind, failure) => {
    await expect(propose(kind)).rejects.toMatchObject(failure);
  });
});

test('a reply without a program says whether it was cut off', async () => {
  const reply = (finish_reason: GenerateReply['finish_reason']) =>
    proposeBy(async () => ({ text: 'First, I think', finish_reason }));
  const cutOff = ' (the reply was cut off at max_output_tokens)';
  expect(await reply('length')).toMatchObject({ ok: false, fault: expect.stringContaining(cutOff) });
  expect(await reply('stop')).toMatchObject({ ok: false, fault: expect.not.stringContaining(cutOff) });
});
