import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import type { GenerateReply } from '../../../../src/contracts/language-model.js';
import type { EvolveContexts } from '../../../../src/kinds/evolve/activities/evolve-context.js';
import { createProposeScaffold } from '../../../../src/kinds/evolve/activities/propose-scaffold.js';
import { LanguageModelError, type LanguageModelErrorKind } from '../../../../src/language-models/errors.js';
import { memoryStore } from '../../../activities/executor-support.js';
import { FROM_SCRATCH, scaffolderContext, scaffolderParts } from '../../../activities/scaffolder-support.js';

/** Asks a scaffolder that fails in this way. */
const propose = (kind: LanguageModelErrorKind) =>
  proposeBy(async () => {
    const said = 'refused the request (HTTP 400): too long';
    throw new LanguageModelError(kind, said, { provider: 'fake' });
  });

/** Asks this scaffolder. */
function proposeBy(generate: () => Promise<GenerateReply>) {
  const context = {
    ...scaffolderContext(memoryStore().store, generate),
    config: { task_prompt: 'Solve it.', models: { executor: null }, timeout_sec: 10 },
    domain: { answerFormat: '', expectedOutput: () => '' },
  };
  const contexts = { get: async () => context } as unknown as EvolveContexts;
  const activity = createProposeScaffold(contexts, scaffolderParts());
  const logger = new DefaultLogger('ERROR', () => undefined);
  return new MockActivityEnvironment({}, { logger }).run(activity, FROM_SCRATCH);
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
  const cutOff = ' (the reply was cut off at its token limit: raise models.scaffolder.max_output_tokens';
  expect(await reply('length')).toMatchObject({ ok: false, fault: expect.stringContaining(cutOff) });
  expect(await reply('stop')).toMatchObject({ ok: false, fault: expect.not.stringContaining(cutOff) });
});
