import { basename, join, sep } from 'node:path';
import { InvalidInputError } from '../../config/errors.js';
import { InfrastructureError } from '../../contracts/infrastructure-error.js';
import type { ChatMessage, ToolDefinition } from '../../contracts/language-model.js';
import { placeOfError } from '../../contracts/place-of-error.js';
import type { TrajectoryData } from '../../trajectories/schema.js';
import { Trajectory } from '../../trajectories/trajectory.js';
import { codeNow, codeOf, type UserCode } from '../../user-code/code.js';
import { CodeEndedError, type CodeLimits, type CodePool } from '../../user-code/code-pool.js';
import type { CodeRunner } from '../../user-code/code-runner.js';
import { loadModule } from '../../user-code/load-module.js';
import { threadWork } from '../../user-code/thread-work.js';
import {
  checkModules,
  findModule,
  loadReward,
  loadToolset,
  type ModuleTrial,
  moduleMessage,
  modulesOf,
} from './bundles/bundle-modules.js';
import type { BundleRow } from './bundles/contracts.js';
import { judge } from './bundles/judge.js';
import { type Reward, RewardError, type RewardOutput } from './bundles/reward.js';
import {
  type ModelToolCall,
  runToolCall,
  type ToolCallPlace,
  type ToolRan,
} from './bundles/run-tool-call.js';
import type { ToolRegistry } from './bundles/tool-registry.js';

/** A row as an evaluation keeps it. */
export interface StoredRow {
  row: BundleRow;
  /** The bundle's folder, whose tools and reward every worker loads from there. */
  folder: string;
}

/** A row whose code is to be run. */
export interface LoadableRow extends StoredRow {
  /** What is loaded of its modules, whatever their files say now. */
  code?: UserCode | undefined;
}

/** A tool call and the database that it is made on. */
export interface ToolQuestion {
  before: Uint8Array;
  place: ToolCallPlace;
  call: ModelToolCall;
}

/** What a reward is asked about. Databases are bytes, and nothing in it is bound to a process. */
export interface RewardQuestion {
  messages: ChatMessage[];
  seed: Uint8Array;
  database: Uint8Array;
  /** null: the reward is shown the conversation as one step. */
  trajectory: TrajectoryData | null;
}

/** Runs the code of one evaluation's bundles. */
export interface BundleCode {
  /** The tools that a row allows, as models are told of them. @throws InvalidInputError where they cannot be loaded here. */
  tools(stored: StoredRow): Promise<ToolDefinition[]>;
  /**
   * Runs a tool call on a copy of a database.
   * @throws InfrastructureError, InvalidInputError where the tools cannot be loaded here, or the signal's reason.
   */
  call(stored: StoredRow, asked: ToolQuestion, limits: CodeLimits): Promise<ToolRan>;
  /** @throws RewardError, InfrastructureError, or InvalidInputError where the reward cannot be loaded here. */
  judge(stored: StoredRow, asked: RewardQuestion, limits: CodeLimits): Promise<RewardOutput>;
}

/** Says which file of the bundle's its reward failed in, and where, if that is known. */
function withPlace(error: unknown, folder: string): unknown {
  if (!(error instanceof RewardError)) return error;
  const thrown = error.cause instanceof Error ? placeOfError(error.cause, `${folder}/`) : undefined;
  const place = thrown ?? basename(findModule(join(folder, 'reward')) ?? 'reward');
  return new RewardError(`${error.message} (${place})`, { cause: error.cause });
}

/** Makes what a module lacks a fault of the row's. */
async function loaded<Value>({ row }: StoredRow, load: () => Promise<Value>): Promise<Value> {
  try {
    return await load();
  } catch (error) {
    throw new InvalidInputError(
      `${row.id}: ${moduleMessage(error)}; the files of a bundle must lie at the same path on every worker`,
      'datasets',
    );
  }
}

async function toolsetOf(stored: LoadableRow, trial?: ModuleTrial): Promise<ToolRegistry> {
  const { row, folder, code } = stored;
  return (await loaded(stored, () => loadToolset(row.toolset, folder, { trial, code }))).registry;
}

/** Runs a tool call where it is called. */
export async function runTool(
  stored: LoadableRow,
  asked: ToolQuestion,
  limits: CodeLimits,
  registry?: ToolRegistry,
): Promise<ToolRan> {
  const { before, place, call } = asked;
  const tools = registry ?? (await toolsetOf(stored));
  const options = { ...limits, allowed: stored.row.tools_allowed };
  const { outcome, bytes } = await runToolCall(before, place, call, tools, options);
  return { outcome, bytes };
}

/** Asks a row's reward where it is called. */
export async function judgeRow(
  stored: LoadableRow,
  { trajectory, ...end }: RewardQuestion,
  reward?: Reward,
): Promise<RewardOutput> {
  const { folder, code } = stored;
  const asked = reward ?? (await loaded(stored, () => loadReward(folder, { code })));
  const whole = trajectory === null ? {} : { trajectory: new Trajectory(trajectory) };
  try {
    return await judge(asked, { row: stored.row, ...end, ...whole });
  } catch (error) {
    throw withPlace(error, folder);
  }
}

/** Loads a module of a bundle, in a thread. Whoever loads it next says what it throws. @thread */
export async function loadBundled({ file, code }: { file: string; code: UserCode }): Promise<void> {
  await loadModule(file, code).catch(() => undefined);
}

/** Runs a tool call, in a thread. @thread */
export function callTool(
  { stored, asked }: { stored: LoadableRow; asked: ToolQuestion },
  around: CodeLimits,
): Promise<ToolRan> {
  return runTool(stored, asked, around);
}

/** Asks a row's reward, in a thread. A fault of the reward's own is an answer, since no class of ours comes out of a thread. @thread */
export async function askReward({
  stored,
  asked,
}: {
  stored: LoadableRow;
  asked: RewardQuestion;
}): Promise<{ output: RewardOutput } | { fault: string }> {
  try {
    return { output: await judgeRow(stored, asked) };
  } catch (error) {
    if (error instanceof RewardError) return { fault: error.message };
    throw error;
  }
}

const LOAD = threadWork(import.meta.url, loadBundled);
const CALL = threadWork(import.meta.url, callTool);
const JUDGE = threadWork(import.meta.url, askReward);

/** Runs the code of one evaluation's bundles, where users' code runs. @param begunWith what is loaded, whatever the files say now */
export function bundleCodeIn({ pool }: CodeRunner, begunWith?: UserCode): BundleCode {
  return pool === null ? localBundleCode : pooledBundleCode(pool, begunWith);
}

/** Loads modules of bundles for a trial, where users' code runs: where that is here, they are not tried before. */
export function moduleTrialIn({ pool }: CodeRunner): ModuleTrial {
  return pool === null ? async () => null : moduleTrial(pool);
}

/** Runs the code of bundles where it is called. */
const localBundleCode: BundleCode = {
  tools: async (stored) => (await toolsetOf(stored)).toToolDefinitions(stored.row.tools_allowed),
  call: (stored, asked, limits) => runTool(stored, asked, limits),
  judge: (stored, asked) => judgeRow(stored, asked),
};

/**
 * Runs the code of one evaluation's bundles. What its modules offer is read in this thread, after a trial; what they do is
 * done in others.
 * @param begunWith what is loaded of the modules, whatever their files say now; by default what they say when a row's are
 * first needed
 */
function pooledBundleCode(pool: CodePool, begunWith?: UserCode): BundleCode {
  const held = new Map<string, UserCode>();
  const withCode = (stored: StoredRow): LoadableRow => {
    const { row, folder } = stored;
    // What is allowed is known in this thread alone.
    checkModules(row, folder);
    const key = `${folder} ${row.toolset}`;
    const code = held.get(key) ?? codeOfRow(stored, begunWith);
    held.set(key, code);
    return { ...stored, code };
  };
  return {
    tools: async (stored) => {
      const registry = await toolsetOf(withCode(stored), moduleTrial(pool));
      return registry.toToolDefinitions(stored.row.tools_allowed);
    },
    call: (stored, asked, limits) =>
      pool.run(CALL, { stored: withCode(stored), asked }, limits).catch((error: unknown) => {
        const tool = `the tool ${asked.call.name}`;
        const named = `${tool} of ${stored.row.id} (${stored.row.toolset} in ${stored.folder})`;
        throw failureOf(error, { short: tool, named, ...limits });
      }),
    judge: (stored, asked, limits) =>
      pool.run(JUDGE, { stored: withCode(stored), asked }, limits).then(
        (judged) => {
          if ('fault' in judged) throw new RewardError(judged.fault);
          return judged.output;
        },
        (error: unknown) => {
          const named = `the reward of ${stored.row.id} (reward in ${stored.folder})`;
          throw failureOf(error, { short: 'the reward', named, ...limits });
        },
      ),
  };
}

/** The code of one row's modules: that of other bundles need not come along. */
function codeOfRow({ row, folder }: StoredRow, begunWith: UserCode | undefined): UserCode {
  if (begunWith === undefined) return codeNow(modulesOf(row, folder));
  return codeOf(new Map([...begunWith.texts].filter(([path]) => path.startsWith(folder + sep))));
}

/** Says whose code failed. What nobody foresaw costs this task alone, and is its rollout's error at last. */
function failureOf(
  error: unknown,
  { short, named, timeoutMs, signal }: { short: string; named: string } & CodeLimits,
): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof CodeEndedError) {
    const seconds = timeoutMs / 1000;
    if (error.how === 'waited') return new InfrastructureError(`${short} did not answer within ${seconds} s`);
    const what =
      error.how === 'computed'
        ? `${named} computed for longer than ${seconds} s without a pause; its thread was ended`
        : `the thread of ${named} ended: ${error.message}`;
    // It would come to the same end again: that is told by the cause.
    return new InfrastructureError(what, { cause: error });
  }
  const isForeseen = [InvalidInputError, InfrastructureError].some((type) => error instanceof type);
  return isForeseen ? error : new InfrastructureError(`${named}: ${(error as Error).message}`);
}

/** Loads a module of a bundle in a thread; see {@link ModuleTrial}. @param timeoutMs that it may take: 60,000 */
export function moduleTrial(pool: CodePool, timeoutMs = 60_000): ModuleTrial {
  return async (file, code) => {
    try {
      await pool.run(LOAD, { file, code }, { timeoutMs, alone: true });
      return null;
    } catch (error) {
      if (!(error instanceof CodeEndedError)) throw error;
      return error.isLate ? `was not loaded within ${timeoutMs / 1000} s` : error.trialFault;
    }
  };
}
