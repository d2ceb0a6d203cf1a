import { basename, join } from 'node:path';
import { judge } from '../../bundles/judge.js';
import { findModule } from '../../bundles/module-loader.js';
import { type Reward, RewardError, type RewardOutput } from '../../bundles/reward.js';
import {
  type ModelToolCall,
  runToolCall,
  type ToolCallPlace,
  type ToolRan,
} from '../../bundles/run-tool-call.js';
import type { ToolRegistry } from '../../bundles/tool-registry.js';
import type { BundleRow } from '../../contracts/bundle.js';
import { InfrastructureError } from '../../contracts/infrastructure-error.js';
import type { ChatMessage, ToolDefinition } from '../../contracts/language-model.js';
import { placeOfError } from '../../contracts/place-of-error.js';
import { LATE, settle } from '../../sandboxes/settle.js';
import type { TrajectoryData } from '../../trajectories/schema.js';
import { Trajectory } from '../../trajectories/trajectory.js';
import type { CodeTexts } from '../../user-code/code-texts.js';

/** A row as an evaluation keeps it. */
export interface StoredRow {
  row: BundleRow;
  /** The bundle's folder, whose tools and reward every worker loads from there. */
  folder: string;
}

/** A row whose code is to be run. */
export interface LoadableRow extends StoredRow {
  /** What is loaded of its modules, whatever their files say now. */
  texts?: CodeTexts | undefined;
}

export interface CodeLimits {
  /** Milliseconds that it may take. */
  timeoutMs: number;
  /** Aborted when nobody waits any more. */
  signal?: AbortSignal;
}

/** What a reward is asked about. Databases are bytes, and nothing in it is bound to a process. */
export interface RewardQuestion {
  messages: ChatMessage[];
  seed: Uint8Array;
  database: Uint8Array;
  /** null: the reward is shown the conversation as one step. */
  trajectory: TrajectoryData | null;
}

/** Runs the code of bundles. */
export interface BundleCode {
  /** The tools that a row allows, as models are told of them. @throws InvalidInputError where they cannot be loaded here. */
  tools(stored: LoadableRow): Promise<ToolDefinition[]>;
  /**
   * Runs a tool call on a copy of a database.
   * @throws InfrastructureError, InvalidInputError where the tools cannot be loaded here, or the signal's reason.
   */
  call(
    stored: LoadableRow,
    asked: { before: Uint8Array; place: ToolCallPlace; call: ModelToolCall },
    limits: CodeLimits,
  ): Promise<ToolRan>;
  /** @throws RewardError, InfrastructureError, or InvalidInputError where the reward cannot be loaded here. */
  judge(stored: LoadableRow, asked: RewardQuestion, limits: CodeLimits): Promise<RewardOutput>;
}

/** Loads the code of bundles. */
export interface BundleModules {
  toolset(stored: LoadableRow): Promise<ToolRegistry>;
  reward(stored: LoadableRow): Promise<Reward>;
}

/** Says which file of the bundle's its reward failed in, and where, if that is known. */
function withPlace(error: unknown, folder: string): unknown {
  if (!(error instanceof RewardError)) return error;
  const thrown = error.cause instanceof Error ? placeOfError(error.cause, `${folder}/`) : undefined;
  const place = thrown ?? basename(findModule(join(folder, 'reward')) ?? 'reward');
  return new RewardError(`${error.message} (${place})`, { cause: error.cause });
}

/** Runs the code of bundles where it is called. */
export function localBundleCode(modules: BundleModules): BundleCode {
  return {
    tools: async (stored) => (await modules.toolset(stored)).toToolDefinitions(stored.row.tools_allowed),
    call: async (stored, { before, place, call }, limits) => {
      const registry = await modules.toolset(stored);
      const options = { ...limits, allowed: stored.row.tools_allowed };
      const { outcome, bytes } = await runToolCall(before, place, call, registry, options);
      return { outcome, bytes };
    },
    judge: async (stored, { trajectory, ...end }, { timeoutMs }) => {
      const reward = await modules.reward(stored);
      const whole = trajectory === null ? {} : { trajectory: new Trajectory(trajectory) };
      const judging = judge(reward, { row: stored.row, ...end, ...whole }).catch((error: unknown) => {
        throw withPlace(error, stored.folder);
      });
      const judged = await settle(judging, timeoutMs);
      if (judged !== LATE) return judged;
      throw new InfrastructureError(`the reward did not answer within ${timeoutMs / 1000} s`);
    },
  };
}
