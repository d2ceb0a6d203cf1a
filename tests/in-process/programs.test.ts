import { describe, expect, it, vi } from 'vitest';
import type { ExecutionResult } from '../../src/contracts/execution.js';
import type { GenerateRequest } from '../../src/contracts/language-model.js';
import { runInProcess } from '../../src/in-process/index.js';
import {
  type ExecutionOptions,
  type Program,
  type Sandbox,
  SandboxError,
} from '../../src/sandboxes/sandbox.js';
import { ended } from '../agents/cheatsheet-bench.js';
import { config, FakeModel, solve } from './support.js';

/** What the sandbox does in the test at hand. */
const sandboxes = vi.hoisted(() => ({
  made: [] as string[],
  asked: [] as { program: Program; options: ExecutionOptions }[],
  closed: 0,
  answer: (_number: number): ExecutionResult | Error => new Error('no program is run here'),
  prepare: async (): Promise<void> => undefined,
}));

vi.mock('../../src/sandboxes/create.js', () => ({
  createSandbox: async (type: 'docker' | 'process'): Promise<Sandbox> => {
    sandboxes.made.push(type);
    return {
      type,
      prepare: () => sandboxes.prepare(),
      run: async (program, options) => {
        sandboxes.asked.push({ program, options });
        const answer = sandboxes.answer(sandboxes.asked.length);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      close: async () => {
        sandboxes.closed += 1;
      },
    };
  },
}));

function useSandbox(
  answer: typeof sandboxes.answer,
  prepare: typeof sandboxes.prepare = async () => undefined,
): typeof sandboxes {
  Object.assign(sandboxes, { made: [], asked: [], closed: 0, answer, prepare });
  return sandboxes;
}

describe('programs in process', () => {
  const agent = {
    type: 'dynamic_cheatsheet_agent',
    history_k: undefined,
    mode: 'empty_sheet',
    use_code_execution: true,
    code_timeout_sec: 2,
  };
  const code = '```python\nprint(1)\n```\nEXECUTE CODE!';
  /** Asks for a program first, and answers then. */
  const coder = () => new FakeModel((request) => (request.call.ordinal === 0 ? code : solveLast(request)));
  const solveLast = (request: GenerateRequest) =>
    solve({ ...request, messages: request.messages.slice(0, 1) });

  it('are run in the sandbox of the config, and counted', async () => {
    const { made, asked } = useSandbox((number) =>
      number === 2 ? ended({ status: 'error', stderr: 'bad', exit_code: 1 }) : ended({ stdout: '1' }),
    );
    const { rows, metrics, executions } = await runInProcess(config({ agent, sandbox: { memory_mb: 64 } }), {
      languageModel: coder(),
    });
    expect(made).toEqual(['docker']);
    expect(asked[0]).toMatchObject({
      program: { files: { 'main.py': 'print(1)\n' } },
      options: { limits: { memory_mb: 64, timeout_sec: 2 } },
    });
    expect(metrics).toMatchObject({
      correct: 3,
      lm_calls: 6,
      code_executions: 3,
      code_executions_failed: 1,
      agent_metrics: { programs_failed: 1 },
    });
    expect(rows.map(({ code_executions }) => code_executions)).toEqual([1, 1, 1]);
    expect(executions).toMatchObject([
      { sample_id: 's1', trial: 0, ordinal: 0, status: 'ok', code: 'print(1)\n', sandbox: 'docker' },
      { sample_id: 's2', status: 'error' },
      { sample_id: 's3', status: 'ok' },
    ]);
    expect(new Set(executions.map(({ key }) => key)).size).toBe(3);
    expect(sandboxes.closed).toBe(1);
  });

  it('of an episode of several steps are numbered through', async () => {
    useSandbox(() => ended());
    const guesses = ['50', '25', '37'];
    const model = new FakeModel(({ call }) => {
      return call.ordinal % 2 === 0 ? code : (guesses[(call.ordinal - 1) / 2] ?? '');
    });
    const { rows, executions } = await runInProcess(
      config({
        dataset: {
          items: [{ id: 's1', question: 'Find it.', answer: '37' }],
          task_type: 'custom',
          env_class: 'NumberGuessingEnv',
        },
        agent,
      }),
      { languageModel: model },
    );
    expect(rows[0]).toMatchObject({ steps: 3, code_executions: 3, lm_calls: 6, feedback: { correct: true } });
    expect(executions.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2]);
  });

  it('that cannot be run now are run when the sandbox is there again', async () => {
    useSandbox((number) => (number === 2 ? new SandboxError('the daemon is gone', true) : ended()));
    const { rows, metrics } = await runInProcess(config({ agent }), { languageModel: coder() });
    expect(rows.map(({ error }) => error)).toEqual([null, null, null]);
    expect(metrics).toMatchObject({ samples: 3, errors: 0, correct: 3, code_executions: 3 });
  });

  it('that can never be run end the run, with what it has', async () => {
    useSandbox((number) => (number === 2 ? new SandboxError('install Docker', false) : ended()));
    const { rows, metrics } = await runInProcess(config({ agent }), { languageModel: coder() });
    expect(metrics).toMatchObject({ status: 'failed', status_message: 'install Docker', errors: 0 });
    expect(rows.map(({ id }) => id)).toEqual(['s1']);
    expect(sandboxes.closed).toBe(1);
  });

  it('of an episode that a limit cut off are listed all the same', async () => {
    useSandbox(() => ended());
    const { rows, metrics, executions } = await runInProcess(config({ agent, limits: { max_lm_calls: 3 } }), {
      languageModel: coder(),
    });
    expect(rows.map(({ id }) => id)).toEqual(['s1']);
    expect(metrics).toMatchObject({ status: 'limit_reached', code_executions: 2 });
    expect(executions.map(({ sample_id }) => sample_id)).toEqual(['s1', 's2']);
  });

  it('are asked of a sandbox that was tried before the first call', async () => {
    const { asked } = useSandbox(
      () => ended(),
      async () => {
        throw new SandboxError('no Docker daemon; install it, or use sandbox: process', false);
      },
    );
    const model = coder();
    const run = runInProcess(config({ agent }), { languageModel: model });
    await expect(run).rejects.toThrow('sandbox: no Docker daemon; install it, or use sandbox: process');
    expect([model.asked, asked]).toEqual([[], []]);
    expect(sandboxes.closed).toBe(1);
  });

  it('on the host are warned of', async () => {
    useSandbox(() => ended());
    const notices: string[] = [];
    const notify = (message: string) => void notices.push(message);
    await runInProcess(config({ agent, sandbox: { type: 'process' } }), { languageModel: coder(), notify });
    expect(sandboxes.made).toEqual(['process']);
    expect(notices.join('\n')).toMatch(
      /Warning: sandbox process: code that the model writes runs as your user/,
    );
    notices.length = 0;
    await runInProcess(
      config({ agent: { ...agent, use_code_execution: false }, sandbox: { type: 'process' } }),
      {
        languageModel: new FakeModel(solve),
        notify,
      },
    );
    expect(notices).toEqual([]);
  });

  it('are none where no agent may run code: no sandbox is made', async () => {
    const { made } = useSandbox(() => ended());
    await runInProcess(config({ agent: { ...agent, use_code_execution: false } }), {
      languageModel: new FakeModel(solve),
    });
    expect(made).toEqual([]);
  });
});
