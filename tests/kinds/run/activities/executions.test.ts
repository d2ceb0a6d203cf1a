import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { ExecutionResult } from '../../../../src/contracts/execution.js';
import { ExecutionStore } from '../../../../src/kinds/run/activities/execution-record.js';
import { createExecutionActivities } from '../../../../src/kinds/run/activities/executions.js';
import type { ExecuteCodeInput } from '../../../../src/kinds/run/contracts.js';
import {
  type ExecutionOptions,
  type FunctionSandbox,
  type Program,
  SandboxError,
} from '../../../../src/sandboxes/sandbox.js';
import type { ArtifactStore } from '../../../../src/storage/artifact-store.js';
import { openStore } from '../../../../src/storage/open.js';
import { executionsPrefix } from '../../../../src/storage/paths.js';
import { interceptWrites, keys, storageError, temporaryStore } from '../../../activities/support.js';
import { activitiesOf, dependencies, preparedRun } from '../../../activities/worker-support.js';
import { ended } from '../../../agents/cheatsheet-bench.js';
import { configOf } from '../../../support/configs.js';

/** A sandbox that says what it is told to, and notes what it was asked. */
class FakeSandbox implements FunctionSandbox {
  readonly type = 'docker';
  readonly asked: { program: Program; options: ExecutionOptions }[] = [];
  running = 0;
  mostRunning = 0;

  constructor(private readonly answer: (number: number) => ExecutionResult | Error | Promise<never>) {}

  async prepare(): Promise<void> {}

  async run(program: Program, options: ExecutionOptions): Promise<ExecutionResult> {
    this.asked.push({ program, options });
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const answer = await this.answer(this.asked.length);
      if (answer instanceof Error) throw answer;
      return answer;
    } finally {
      this.running -= 1;
    }
  }

  async call(): Promise<never> {
    throw new Error('no function is called here');
  }

  async close(): Promise<void> {}
}

const agent = { type: 'dynamic_cheatsheet_agent', use_code_execution: true };

async function place(
  answer: ConstructorParameters<typeof FakeSandbox>[0] = (number) => ended({ stdout: `output ${number}` }),
  {
    sandbox: section = {},
    wrap = (store) => store,
  }: { sandbox?: object; wrap?: (store: ArtifactStore) => ArtifactStore } = {},
) {
  const store = await temporaryStore();
  const run = await preparedRun(store, configOf({ agent, sandbox: section }));
  const sandbox = new FakeSandbox(answer);
  const told: string[] = [];
  const newWorker = () =>
    activitiesOf(
      createExecutionActivities,
      dependencies({
        openStore: (uri) => wrap(openStore(uri)),
        sandbox: async () => sandbox,
        maxConcurrentExecutions: 2,
        notify: (message) => told.push(message),
      }),
    );
  const input = (code: string, ordinal = 0, more: Partial<ExecuteCodeInput> = {}): ExecuteCodeInput => ({
    run,
    execution: { sample_id: 's1', trial: 0, ordinal },
    code,
    timeout_sec: 3,
    ...more,
  });
  return { store, run, sandbox, told, newWorker, input, stored: () => keys(store, executionsPrefix()) };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => {
      throw new Error(`answered ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

describe('a program', () => {
  test('is run within the limits of the config and its own deadline', async () => {
    const { sandbox, newWorker, input } = await place(undefined, {
      sandbox: { memory_mb: 100, cpus: 0.5, pids: 16, output_kb: 8, tmpfs_mb: 4 },
    });
    expect(await newWorker().executeCode(input('print(1)', 0, { timeout_sec: 0.5 }))).toEqual(
      ended({ stdout: 'output 1' }),
    );
    expect(sandbox.asked[0]).toMatchObject({
      program: { files: { 'main.py': 'print(1)' }, main: 'main.py' },
      options: {
        limits: { memory_mb: 100, cpus: 0.5, pids: 16, output_kb: 8, tmpfs_mb: 4, timeout_sec: 0.5 },
      },
    });
    expect(sandbox.asked[0]?.options.limits).not.toHaveProperty('type');
  });

  test('that has ended is never run again, by this worker or another', async () => {
    const { store, sandbox, newWorker, input } = await place();
    const worker = newWorker();
    const first = await worker.executeCode(input('print(1)'));
    expect(await worker.executeCode(input('print(1)'))).toEqual(first);
    expect(await newWorker().executeCode(input('print(1)'))).toEqual(first);
    expect(sandbox.asked).toHaveLength(1);
    const record = await new ExecutionStore(store).at(input('').execution);
    expect(record).toEqual({
      sample_id: 's1',
      trial: 0,
      ordinal: 0,
      key: expect.any(String),
      sandbox: 'docker',
      code: 'print(1)',
      timeout_sec: 3,
      ...first,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  test.each(['error', 'timeout', 'out_of_memory', 'output_limit'] as const)(
    'that ended with %s is a result like another: kept, and not run again',
    async (status) => {
      const { sandbox, newWorker, input } = await place(() =>
        ended({ status, exit_code: null, stderr: 'why' }),
      );
      const worker = newWorker();
      const first = await worker.executeCode(input('x'));
      expect(first).toMatchObject({ status, stderr: 'why' });
      expect(await worker.executeCode(input('x'))).toEqual(first);
      expect(sandbox.asked).toHaveLength(1);
    },
  );

  test.each<[string, Partial<ExecuteCodeInput>]>([
    ['another program', { code: 'print(2)' }],
    ['another deadline', { timeout_sec: 4 }],
  ])('at the same place but with %s is run, and takes the place', async (_name, change) => {
    const { sandbox, newWorker, input, stored } = await place();
    const worker = newWorker();
    await worker.executeCode(input('print(1)'));
    const other = await worker.executeCode(input('print(1)', 0, change));
    expect(other.stdout).toBe('output 2');
    expect(await worker.executeCode(input('print(1)', 0, change))).toEqual(other);
    expect(sandbox.asked).toHaveLength(2);
    expect(await stored()).toHaveLength(1);
  });

  test('that is the same at another place is run as well', async () => {
    const { sandbox, newWorker, input, stored } = await place();
    const worker = newWorker();
    const places = [
      { sample_id: 's1', trial: 0, ordinal: 0 },
      { sample_id: 's1', trial: 0, ordinal: 1 },
      { sample_id: 's1', trial: 1, ordinal: 0 },
      { sample_id: 's2', trial: 0, ordinal: 0 },
    ];
    for (const execution of places) await worker.executeCode(input('print(1)', 0, { execution }));
    expect(sandbox.asked).toHaveLength(4);
    expect(await stored()).toHaveLength(4);
  });

  test('waits for its turn: no more run at once than the worker may run', async () => {
    const { sandbox, newWorker, input } = await place();
    const worker = newWorker();
    await Promise.all(Array.from({ length: 9 }, (_, ordinal) => worker.executeCode(input('x', ordinal))));
    expect(sandbox.asked).toHaveLength(9);
    expect(sandbox.mostRunning).toBe(2);
  });
});

describe('a sandbox that fails', () => {
  test('for now is left to the next attempt: told of, not stored, not the program’s failure', async () => {
    const { newWorker, input, stored, told, sandbox } = await place((number) =>
      number === 1 ? new SandboxError('the Docker daemon does not answer', true) : ended({ stdout: 'fine' }),
    );
    const worker = newWorker();
    const failure = await failureOf(worker.executeCode(input('x')));
    expect(failure).toBeInstanceOf(SandboxError);
    expect(failure).not.toBeInstanceOf(ApplicationFailure);
    expect(told).toEqual(['Waiting for the sandbox: the Docker daemon does not answer']);
    expect(await stored()).toEqual([]);
    expect(await worker.executeCode(input('x'))).toEqual(ended({ stdout: 'fine' }));
    expect(sandbox.asked).toHaveLength(2);
  });

  test('for good ends the run, and says why', async () => {
    const { newWorker, input, stored } = await place(() => new SandboxError('install Docker', false));
    const failure = await failureOf(newWorker().executeCode(input('x')));
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ nonRetryable: true, type: 'InvalidInput', message: 'install Docker' });
    expect(await stored()).toEqual([]);
  });

  test('leaves its place to the next program', async () => {
    const { newWorker, input } = await place((number) =>
      number <= 4 ? new SandboxError('away', true) : ended(),
    );
    const worker = newWorker();
    for (let ordinal = 0; ordinal < 4; ordinal++) await failureOf(worker.executeCode(input('x', ordinal)));
    expect(await worker.executeCode(input('x', 5))).toEqual(ended());
  });
});

test('an activity that is cancelled ends its program', async () => {
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { newWorker, input, sandbox, stored } = await place(() => {
    const signal = sandbox.asked[0]?.options.signal as AbortSignal;
    begun();
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  });
  const worker = newWorker();
  const work = failureOf(worker.executeCode(input('while True: pass')));
  await running;
  worker.environment.cancel();
  expect(await work).toBeInstanceOf(CancelledFailure);
  expect(await stored()).toEqual([]);
});

test('a store that is unreachable for a moment costs no second run of the program', async () => {
  let failures = 2;
  const { newWorker, input, sandbox, told, stored } = await place(undefined, {
    wrap: (store) =>
      interceptWrites(store, executionsPrefix(), async (_key, write) => {
        if (failures-- > 0) throw storageError('disk full', true);
        return write();
      }),
  });
  expect((await newWorker().executeCode(input('x'))).stdout).toBe('output 1');
  expect(sandbox.asked).toHaveLength(1);
  expect(told).toContain('Waiting to store a program’s result: disk full');
  expect(await stored()).toHaveLength(1);
});
