import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { CallStore } from '../../src/activities/call-store.js';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import { withFailures } from '../../src/activities/failures.js';
import { type CalledModel, ModelCalls } from '../../src/activities/model-calls.js';
import type { LanguageModelConfig } from '../../src/config/language-model-schema.js';
import type {
  CallRecord,
  GenerateReply,
  GenerateRequest,
  LanguageModel,
  Usage,
} from '../../src/contracts/language-model.js';
import type { EvolveContext, EvolveContexts } from '../../src/kinds/evolve/activities/evolve-context.js';
import { createScaffoldExecution } from '../../src/kinds/evolve/activities/execute-scaffold.js';
import { ScaffoldRuns } from '../../src/kinds/evolve/activities/scaffold-runs.js';
import type { ExecuteScaffoldInput, ScaffoldRun } from '../../src/kinds/evolve/contracts.js';
import { scaffoldRunsPrefix } from '../../src/kinds/evolve/paths.js';
import { AdaptiveLimit } from '../../src/language-models/adaptive-limit.js';
import { guard } from '../../src/language-models/guard.js';
import { ownStarts } from '../../src/language-models/pace.js';
import {
  type CallResult,
  type FunctionCallOptions,
  type FunctionSandbox,
  type ModelReply,
  SandboxError,
} from '../../src/sandboxes/sandbox.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { callsPrefix } from '../../src/storage/paths.js';

/** Where no activity's context is, as in the callbacks of sockets. */
const outside = new AsyncResource('outside');

/** What a program is given: its model, and what is left to it. */
export interface ProgramHandle {
  /** Rejects where the model answers with an error. */
  ask(prompt: string): Promise<string>;
  resources(): Promise<{ calls: number | null; usd: number | null }>;
}

/** A program in TypeScript, in the place of one in Python. A SandboxError that it throws is the sandbox's. */
export type TestProgram = (handle: ProgramHandle) => Promise<string>;

/** Runs {@link TestProgram}s as sandboxes run theirs: within their time, and asked for from outside of the activity. */
class TestSandbox {
  constructor(private readonly program: TestProgram) {}

  async call(_program: unknown, options: FunctionCallOptions): Promise<CallResult> {
    const ended = new AbortController();
    const failed = new Promise<never>((_, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason));
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
    });
    failed.catch(() => undefined);
    const open = new AbortController();
    const attempted = <Value>(work: () => Value | Promise<Value>) =>
      outside
        .runInAsyncScope(async () => work())
        .catch((error) => {
          ended.abort(error);
          return new Promise<never>(() => {});
        });
    const ask = async (prompt: string): Promise<string> => {
      const reply: ModelReply = await attempted(async () => {
        if (options.respond === null) throw new Error('no model');
        return options.respond({ prompt, system_prompt: null }, open.signal);
      });
      if ('error' in reply) throw new Error(reply.error);
      return reply.text;
    };
    const resources = () => attempted(options.resources);
    const result = { stdout: '', stderr: '', exit_code: null, truncated: false, seconds: 0 };
    const running = this.program({ ask, resources }).then(
      (output): CallResult => ({ ...result, status: 'ok', exit_code: 0, output }),
      (error: Error): CallResult => {
        if (error instanceof SandboxError) throw error;
        return { ...result, status: 'error', stderr: error.message, output: null };
      },
    );
    const late = sleep(options.limits.timeout_sec * 1000, undefined, { signal: ended.signal }).then(
      (): CallResult => ({ ...result, status: 'timeout', output: null }),
    );
    late.catch(() => undefined);
    try {
      return await Promise.race([running, late, failed]);
    } finally {
      open.abort(new Error('the program has ended'));
    }
  }
}

/** A store in memory; `fail` throws where a write is to fail. */
export function memoryStore(fail: (key: string) => void = () => undefined) {
  const objects = new Map<string, string>();
  const store = {
    uri: 'memory:',
    readText: async (key: string) => objects.get(key) ?? null,
    exists: async (key: string) => objects.has(key),
    write: async (key: string, body: string) => {
      fail(key);
      objects.set(key, body);
      return true;
    },
    async *list(prefix: string) {
      for (const key of [...objects.keys()].sort()) if (key.startsWith(prefix)) yield { key, bytes: 0 };
    },
  } as unknown as ArtifactStore;
  return { store, objects };
}

const USAGE: Usage = { input_tokens: 6, output_tokens: 4 };
export const NO_LIMIT = { lm_calls: null, tokens: null, cost_usd: null };

export interface WorldOptions {
  program: TestProgram;
  /** The model: a text, or whatever it rejects with. */
  answer?: (request: GenerateRequest, signal: AbortSignal, count: number) => string | Promise<string>;
  /** How its replies end; by themselves where nothing is said. */
  ends?: GenerateReply['finish_reason'];
  lm?: Partial<LanguageModelConfig>;
  executor?: { max_lm_calls_per_execution?: number; max_tokens_per_execution?: number | null };
  timeout_sec?: number;
  maxConcurrentCalls?: number;
  failWrite?: (key: string) => void;
}

/** A worker that runs one scaffold on one example; every call of its model costs a dollar and ten tokens. */
export function executorWorld(options: WorldOptions) {
  const { answer = (request) => `reply to ${request.messages.at(-1)?.content}`, timeout_sec = 5 } = options;
  const prompts: string[] = [];
  const told: string[] = [];
  const { store, objects } = memoryStore(options.failWrite);
  objects.set('iterations/0/scaffolds/new/0/scaffold.py', 'def process_input(text): ...');
  const lm = {
    provider: 'openai',
    model: 'fake',
    temperature: 0,
    max_output_tokens: 100,
    thinking_budget: null,
    timeout_sec: 2,
    requests_per_second: null,
    max_attempts: 8,
    cache: false,
    ...options.lm,
  } as LanguageModelConfig;
  const languageModel: LanguageModel = guard(
    { provider: 'fake', timeoutMs: lm.timeout_sec * 1000 },
    async (request, { signal }): Promise<GenerateReply> => {
      prompts.push(request.messages.at(-1)?.content ?? '');
      return {
        text: await answer(request, signal, prompts.length),
        finish_reason: options.ends ?? 'stop',
        usage: USAGE,
      };
    },
  );
  const log = { level: 'info', warn: () => undefined, info: () => undefined };
  const executor = {
    lm,
    store,
    resultsDir: 'results',
    calls: new CallStore(store),
    log,
    modelName: 'openai/fake',
    modelAddress: 'openai/fake',
    costOf: () => 1,
    languageModel: async () => ({ model: languageModel }),
  } as unknown as CalledModel;
  const dependencies = {
    openStore: () => store,
    notify: (message: string) => told.push(message),
    notices: { listener: () => () => undefined },
    grantStarts: (_model: string, rate: number) => ownStarts(rate),
    maxConcurrentCalls: options.maxConcurrentCalls ?? 8,
    sandbox: async () => new TestSandbox(options.program) as unknown as FunctionSandbox,
  } as unknown as WorkerDependencies;
  const runs = new ScaffoldRuns(store);
  const context = {
    store,
    executor,
    runs,
    findRun: runs.find.bind(runs),
    examples: { get: async (_type: string, id: string) => ({ id, input: 'input', scoring_data: {} }) },
    domain: { score: (output: string) => ({ score: output === '' ? 0 : 1, message: '' }) },
    log: () => log,
    config: {
      timeout_sec,
      sandbox: { type: 'process' },
      models: { executor: lm },
      executor: { max_lm_calls_per_execution: 20, max_tokens_per_execution: null, ...options.executor },
    },
  } as unknown as EvolveContext;
  const contexts = { get: async () => context } as unknown as EvolveContexts;
  const parts = { models: new ModelCalls(dependencies), slots: new AdaptiveLimit({ maximum: 4 }) };
  const { executeScaffold } = createScaffoldExecution(contexts, dependencies, parts);
  const worker = withFailures({ executeScaffold }, dependencies);
  const logger = new DefaultLogger('ERROR', () => undefined);
  let beat: unknown;

  const input = (more: Partial<ExecuteScaffoldInput> = {}): ExecuteScaffoldInput => ({
    run: 'run',
    scaffold: '0',
    iteration: 1,
    type: 'valid',
    example: 'v1',
    made_in: 0,
    left: NO_LIMIT,
    ...more,
  });
  /** One attempt, which finds the notes that the one before left. */
  const attempt = (number = 1, more: Partial<ExecuteScaffoldInput> = {}): Promise<ScaffoldRun> => {
    const environment = new MockActivityEnvironment(
      { attempt: number, heartbeatDetails: number === 1 ? undefined : beat },
      { logger },
    );
    environment.on('heartbeat', (details: unknown) => {
      beat = structuredClone(details);
    });
    return environment.run(worker.executeScaffold, input(more));
  };
  /** Attempt after attempt, as the retry policy makes them; answers with how many it took and how they ended. */
  const untilSettled = async (
    more: Partial<ExecuteScaffoldInput> = {},
  ): Promise<{ attempts: number; run?: ScaffoldRun; failure?: unknown }> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return { attempts, run: await attempt(attempts, more) };
      } catch (failure) {
        if ((failure as { nonRetryable?: boolean }).nonRetryable || attempts === 20) {
          return { attempts, failure };
        }
      }
    }
  };
  const stored = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix));
  const calls = () =>
    stored(callsPrefix()).map((key): CallRecord => JSON.parse(objects.get(key) ?? '').record);
  const finished = () => stored(scaffoldRunsPrefix());
  /** What the program returned in the one run that is done. */
  const output = (): string => JSON.parse(objects.get(finished()[0] ?? '') ?? '').result.output;
  return { attempt, untilSettled, lm, prompts, told, calls, finished, output };
}
