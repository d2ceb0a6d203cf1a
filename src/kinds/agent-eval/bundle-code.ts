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
import { runReward } from './bundles/judge.js';
import { type Reward, RewardError, type RewardOutput } from './bundles/reward.js';
import {
  type ModelToolCall,
  runToolCall,
  type ToolCallPlace,
  type ToolRan,
} from './bundles/run-tool-call.js';
import type { ToolRegistry } from './bundles/tool-registry.js';

/** A row as an evaluation stores it. */
export interface StoredRow {
  row: BundleRow;
  /** The bundle's folder, from which every worker loads tools and reward. */
  folder: string;
}

/** A row whose code is to be run. */
export interface LoadableRow extends StoredRow {
  /** Code to load for its modules, whatever their files contain now. */
  code?: UserCode | undefined;
}

/** A tool call and the database that it is made on. */
export interface ToolQuestion {
  before: Uint8Array;
  place: ToolCallPlace;
  call: ModelToolCall;
}

/** Input of a reward. Databases are bytes, and nothing is bound to a process. */
export interface RewardQuestion {
  messages: ChatMessage[];
  seed: Uint8Array;
  database: Uint8Array;
  /** Trajectory of the rollout; null: the reward gets the conversation as one step. */
  trajectory: TrajectoryData | null;
}

/** Runner of the code of one evaluation's bundles. */
export interface BundleCode {
  /** Loads the tools that a row allows, as models get them. @throws InvalidInputError if they cannot be loaded here. */
  tools(stored: StoredRow): Promise<ToolDefinition[]>;
  /**
   * Runs a tool call on a copy of a database.
   * @throws InfrastructureError, InvalidInputError if the tools cannot be loaded here, or the signal's reason.
   */
  call(stored: StoredRow, asked: ToolQuestion, limits: CodeLimits): Promise<ToolRan>;
  /** @throws RewardError, InfrastructureError, or InvalidInputError if the reward cannot be loaded here. */
  judge(stored: StoredRow, asked: RewardQuestion, limits: CodeLimits): Promise<RewardOutput>;
}

/** Adds the file of the bundle in which a reward failed, and the line if known, to its error. */
function withPlace(error: unknown, folder: string): unknown {
  if (!(error instanceof RewardError)) return error;
  const thrown = error.cause instanceof Error ? placeOfError(error.cause, `${folder}/`) : undefined;
  const place = thrown ?? basename(findModule(join(folder, 'reward')) ?? 'reward');
  return new RewardError(`${error.message} (${place})`, { cause: error.cause });
}

/** Loads a module; a fault of the module becomes an error that names the row. */
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

/** Runs a tool call in the current thread. */
export async function runTool(
  stored: LoadableRow,
  asked: ToolQuestion,
  limits: CodeLimits,
  registry?: ToolRegistry,
): Promise<ToolRan> {
  const { before, place, call } = asked;
  const tools = registry ?? (await toolsetOf(stored));
  const options = { ...limits, allowed: stored.row.tools_allowed };
  const { outcome, bytes } = await runToolCall(before, { ...place, row: stored.row }, call, tools, options);
  return { outcome, bytes };
}

/** Runs a row's reward in the current thread. */
export async function judgeRow(
  stored: LoadableRow,
  { trajectory, ...end }: RewardQuestion,
  reward?: Reward,
): Promise<RewardOutput> {
  const { folder, code } = stored;
  const asked = reward ?? (await loaded(stored, () => loadReward(folder, { code })));
  const whole = trajectory === null ? {} : { trajectory: new Trajectory(trajectory) };
  try {
    return await runReward(asked, { row: stored.row, ...end, ...whole });
  } catch (error) {
    throw withPlace(error, folder);
  }
}

/** Loads a module of a bundle, in a thread. Its errors are left to the next load. @thread */
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

/** Runs a row's reward, in a thread. Returns a fault of the reward, because no RewardError leaves a thread. @thread */
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

/**
 * Creates the runner of an evaluation's bundles, where users' code runs.
 * @param begunWith code to load, if not the files
 */
export function bundleCodeIn({ pool }: CodeRunner, begunWith?: UserCode): BundleCode {
  return pool === null ? localBundleCode : pooledBundleCode(pool, begunWith);
}

/** Creates the trial of bundle modules, where users' code runs. Without a thread pool, modules are not tried first. */
export function moduleTrialIn({ pool }: CodeRunner): ModuleTrial {
  return pool === null ? async () => null : moduleTrial(pool);
}

/** Runner of bundle code in the current thread. */
const localBundleCode: BundleCode = {
  tools: async (stored) => (await toolsetOf(stored)).toToolDefinitions(stored.row.tools_allowed),
  call: (stored, asked, limits) => runTool(stored, asked, limits),
  judge: (stored, asked) => judgeRow(stored, asked),
};

/**
 * Creates a runner of one evaluation's bundles. Tool definitions are read in this thread, after a trial; tools and
 * rewards run in others.
 * @param begunWith code to load for the modules, whatever their files contain now; default: their content when a row's
 * modules are first needed
 */
function pooledBundleCode(pool: CodePool, begunWith?: UserCode): BundleCode {
  const held = new Map<string, UserCode>();
  const withCode = (stored: StoredRow): LoadableRow => {
    const { row, folder } = stored;
    // Only this thread knows the permissions.
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

/** Returns the code of one row's modules, without that of other bundles. */
function codeOfRow({ row, folder }: StoredRow, begunWith: UserCode | undefined): UserCode {
  if (begunWith === undefined) return codeNow(modulesOf(row, folder));
  return codeOf(new Map([...begunWith.texts].filter(([path]) => path.startsWith(folder + sep))));
}

/** Converts a failure to an error that names the failed code. An unexpected one affects this rollout only. */
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
    // The cause shows that a retry would end the same way.
    return new InfrastructureError(what, { cause: error });
  }
  const isForeseen = [InvalidInputError, InfrastructureError].some((type) => error instanceof type);
  return isForeseen ? error : new InfrastructureError(`${named}: ${(error as Error).message}`);
}

/** Creates a trial that loads a module in a thread; see {@link ModuleTrial}. @param timeoutMs default 60,000 */
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
