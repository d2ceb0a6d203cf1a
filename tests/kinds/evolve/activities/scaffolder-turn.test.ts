import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import type { GenerateReply, GenerateRequest } from '../../../../src/contracts/language-model.js';
import type {
  EvolveContext,
  EvolveContexts,
} from '../../../../src/kinds/evolve/activities/evolve-context.js';
import {
  type ScaffoldRunRecord,
  ScaffoldRuns,
} from '../../../../src/kinds/evolve/activities/scaffold-runs.js';
import {
  createScaffolderTurn,
  draftJob,
  draftOf,
} from '../../../../src/kinds/evolve/activities/scaffolder-turn.js';
import type { ScaffolderTurn, ScaffolderTurnInput } from '../../../../src/kinds/evolve/contracts.js';
import { LanguageModelError } from '../../../../src/language-models/errors.js';
import { memoryStore } from '../../../activities/executor-support.js';
import { FROM_SCRATCH, scaffolderContext, scaffolderParts } from '../../../activities/scaffolder-support.js';

const PROGRAM = 'def process_input(input_string):\n    return input_string\n';
const USAGE = { input_tokens: 6, output_tokens: 4 };

const calling = (
  name: string,
  files: unknown = [{ path: 'scaffold.py', content: PROGRAM }],
): GenerateReply => ({
  text: '',
  tool_calls: [{ id: 'c', name, arguments: JSON.stringify({ files }) }],
  finish_reason: 'tool_calls',
  usage: USAGE,
});

const firstTurn: ScaffolderTurnInput = {
  ...FROM_SCRATCH,
  examples: ['t1'],
  turn: 0,
  max_turns: 3,
  draft_examples: ['t1', 't2'],
  told: [],
};

/** A worker whose scaffolder gives these replies, one after another. */
function world(replies: (GenerateReply | Error)[], compiles: 'ok' | 'error' = 'ok') {
  const { store, objects } = memoryStore();
  const asked: GenerateRequest[] = [];
  const generate = async (request: GenerateRequest) => {
    asked.push(request);
    const reply = replies[asked.length - 1];
    if (reply === undefined || reply instanceof Error) throw reply ?? new Error('nothing is left to say');
    return reply;
  };
  const runs = new ScaffoldRuns(store);
  const context = {
    ...scaffolderContext(store, generate),
    runs,
    examples: { get: async (_type: string, id: string) => ({ id, input: `input ${id}`, scoring_data: {} }) },
    config: {
      task_prompt: 'Solve it.',
      models: { executor: null },
      timeout_sec: 10,
      sandbox: { type: 'process' },
      scaffolder: { feedback: null },
    },
    domain: { answerFormat: '', expectedOutput: () => 'the answer' },
  } as unknown as EvolveContext;
  const contexts = { get: async () => context } as unknown as EvolveContexts;
  const activity = createScaffolderTurn(
    contexts,
    scaffolderParts({
      sandbox: async () => ({
        run: async () => ({ status: compiles, stderr: 'SyntaxError: invalid syntax' }),
      }),
    }),
  );
  const logger = new DefaultLogger('ERROR', () => undefined);
  const take = (more: Partial<ScaffolderTurnInput> = {}): Promise<ScaffolderTurn> =>
    new MockActivityEnvironment({}, { logger }).run(activity, { ...firstTurn, ...more });
  return { take, asked, objects, context, runs };
}

const COST = { lm_calls: 1, usage: USAGE, cost_usd: 0.5 };

/** What `runDraft` leaves of a run. */
async function ran(runs: ScaffoldRuns, example: string, score: number): Promise<void> {
  const job = draftJob({ scaffold: '0', iteration: 0, attempt: 0, turn: 0, example });
  await runs.save({
    ...job,
    key: example,
    score,
    message: '',
    ...COST,
    result: { status: 'ok', output: `output ${example}`, stderr: '', stdout: '', exit_code: 0, seconds: 1 },
    at: '2026-01-01T00:00:00.000Z',
  } as ScaffoldRunRecord);
}

describe('a turn of a scaffolder that works as an agent', () => {
  test('has a draft run, sees what it did, and submits', async () => {
    const { take, asked, objects, context, runs } = world([
      calling('run_draft'),
      calling('submit_scaffold', [{ path: 'scaffold.py', content: `# better\n${PROGRAM}` }]),
    ]);
    expect(await take()).toEqual({ kind: 'draft', ...COST });
    expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(['run_draft', 'submit_scaffold']);
    const rules = asked[0]?.messages.at(-1)?.content ?? '';
    for (const part of ['Solve it.', 'input t1', 'at most 3 turns', '2 training examples'])
      expect(rules).toContain(part);
    const draft = { id: '0', parent: null, attempt: 0, turn: 0, max_turns: 3 };
    expect(await draftOf(context, draft)).toEqual({ 'scaffold.py': PROGRAM });

    await ran(runs, 't1', 1);
    await ran(runs, 't2', 0);
    const second = { turn: 1, told: [null] };
    expect(await take(second)).toMatchObject({ kind: 'submitted', warnings: [], ...COST });
    const told = asked[1]?.messages.at(-1);
    expect(told).toMatchObject({ role: 'tool', tool_call_id: 'c' });
    for (const part of ['mean score 0.5', 'output t2', 'the answer', '2 turns are left'])
      expect(told?.content).toContain(part);
    expect(objects.get('iterations/0/scaffolds/new/0/scaffold.py')).toBe(`# better\n${PROGRAM}`);
    expect(JSON.parse(objects.get('iterations/0/scaffolds/new/0/metadata.json') as string)).toMatchObject({
      parent_scaffold_id: null,
      iteration: 0,
    });

    // Either turn again, as after a crash: the replies are kept.
    const before = new Map(objects);
    expect(await take()).toEqual({ kind: 'draft', ...COST });
    expect((await take(second)).kind).toBe('submitted');
    expect(asked).toHaveLength(2);
    expect(objects).toEqual(before);
  });

  test('is told what is wrong with what it asks for', async () => {
    const { take, asked, objects } = world(
      [calling('run'), calling('submit_scaffold'), calling('submit_scaffold')],
      'error',
    );
    expect(await take()).toEqual({
      kind: 'refused',
      fault: expect.stringContaining('no tool "run"'),
      ...COST,
    });
    const told = ['There is no tool "run".'];
    expect(await take({ turn: 1, told })).toMatchObject({
      kind: 'refused',
      fault: 'The program does not compile: SyntaxError: invalid syntax',
    });
    expect(asked[1]?.messages.at(-1)?.content).toContain('There is no tool "run".');
    expect(await take({ turn: 2, told: [...told, 'It does not compile.'] })).toMatchObject({
      kind: 'failed',
    });
    expect(asked[2]?.messages.at(-1)?.content).toContain('This is the last turn');
    expect([...objects.keys()].filter((key) => key.startsWith('iterations/'))).toEqual([]);
  });

  test('submits the draft that it runs in the last turn', async () => {
    const { take, objects } = world([calling('submit'), calling('submit'), calling('run_draft')]);
    await take();
    await take({ turn: 1, told: ['no'] });
    expect(await take({ turn: 2, told: ['no', 'no'] })).toMatchObject({ kind: 'submitted' });
    expect(objects.get('iterations/0/scaffolds/new/0/scaffold.py')).toBe(PROGRAM);
  });

  test('of a try after a failed one begins anew, and knows what came of that', async () => {
    const { take, asked } = world([calling('submit_scaffold')]);
    await take({ attempt: 1, faults: ['nothing was submitted'] });
    expect(asked[0]?.messages).toHaveLength(2);
    expect(asked[0]?.messages.at(-1)?.content).toContain('It came to nothing: nothing was submitted');
    expect(asked[0]?.call).toMatchObject({ purpose: 'generate', ordinal: 3 });
  });

  test('takes no scaffold that there is already', async () => {
    const { take } = world([calling('submit_scaffold'), calling('submit_scaffold')]);
    const made = await take();
    const known = { '7': made.kind === 'submitted' ? made.fingerprint : '' };
    expect(await take({ id: '8', known })).toMatchObject({
      kind: 'refused',
      fault: expect.stringContaining('scaffold 7'),
    });
  });

  test('whose conversation the provider refuses ends the try, and costs nothing', async () => {
    const { take } = world([new LanguageModelError('bad_request', 'too long', { provider: 'fake' })]);
    expect(await take()).toMatchObject({ kind: 'failed', fault: 'too long', lm_calls: 0, cost_usd: 0 });
  });
});
