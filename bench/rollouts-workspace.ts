import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE } from './paths.js';
import { type BenchFolder, jsonLines, makeFolder, mockModel } from './workspace.js';

/** Rollouts of the bench's bundle. */
export interface RolloutContest {
  rows: number;
  /** Rollouts of each row. */
  rollouts_a_row: number;
  concurrency: number;
  /** Milliseconds of the model, for the ideal; the mock is set up by the caller. */
  latency: number;
  /** Tool calls of a rollout; each writes a row into the database. */
  tool_calls: number;
  /** Of them, in one reply of the agent. */
  calls_a_reply: number;
}

/**
 * Calls of the models in one rollout: the agent's replies with tool calls, its last one, and the user's message that
 * ends it. Where there is no tool call the user writes first, so that as many calls are left as where all tool calls
 * stand in one reply.
 */
export function modelCalls({ tool_calls, calls_a_reply }: RolloutContest): number {
  return tool_calls === 0 ? 3 : Math.ceil(tool_calls / calls_a_reply) + 2;
}

/** A row as task.jsonl has it. */
export function rolloutRow({ tool_calls, calls_a_reply }: RolloutContest, index: number): object {
  const task = { role: 'user', content: `Count to ${tool_calls}, ${calls_a_reply} at a time.` };
  const actions = Array.from({ length: tool_calls }, (_, at) => ({
    tool: 'count',
    arguments: { number: at + 1 },
  }));
  return {
    id: `count.${index}`,
    seed_sql: 'file:seed.sql',
    toolset: './tools.ts',
    max_turns: tool_calls + 1,
    initial_messages: [
      { role: 'system', content: 'You count with your tool, as you are asked to.' },
      ...(tool_calls === 0 ? [] : [task]),
    ],
    sim_user_prompt: 'You want somebody to count, and are content with what they say.',
    metadata: { calls: tool_calls },
    oracle: tool_calls === 0 ? null : actions,
  };
}

/** An evaluation as its YAML file has it. */
export function rolloutConfig(
  { rollouts_a_row, concurrency }: RolloutContest,
  baseUrl: string,
): Record<string, unknown> {
  return {
    name: 'bench',
    dataset: 'bundle',
    rollouts: rollouts_a_row,
    concurrency,
    now: '2026-03-02T09:00:00Z',
    models: { agent: mockModel(baseUrl), user: mockModel(baseUrl) },
    output: { results_dir: 'results' },
  };
}

/** A temporary folder with the bundle, and a config that evaluates the mock model on it. */
export async function makeRolloutFolder(contest: RolloutContest, baseUrl: string): Promise<BenchFolder> {
  const made = await makeFolder(rolloutConfig(contest, baseUrl), baseUrl);
  const bundle = join(made.folder, 'bundle');
  await cp(BUNDLE, bundle, { recursive: true });
  const rows = Array.from({ length: contest.rows }, (_, index) => rolloutRow(contest, index));
  await writeFile(join(bundle, 'task.jsonl'), jsonLines(rows));
  return made;
}
