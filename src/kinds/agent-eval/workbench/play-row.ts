import type { ChatMessage, ToolCall } from '../../../contracts/language-model.js';
import { noStepCost } from '../../../runtime/step-cost.js';
import type { ToolOutcome } from '../bundles/contracts.js';
import { goalIn } from '../bundles/goal-in.js';
import { runReward } from '../bundles/judge.js';
import type { Bundle } from '../bundles/load.js';
import type { RewardOutput } from '../bundles/reward.js';
import type { LoadedRow } from '../bundles/row-loader.js';
import { runToolCall } from '../bundles/run-tool-call.js';
import type { RolloutOutcome, UserFault } from '../contracts.js';
import { firstPlace, Rollout } from '../rollouts/rollout.js';
import { rolloutRules } from '../rollouts/rules.js';
import { readUserMessage, userMove } from '../rollouts/simulated-user.js';
import { seededBytes } from './seeded-bytes.js';

/** Error of a player who leaves before the conversation is over. */
export class LeftError extends Error {
  override readonly name = 'LeftError';
}

/** Reply of an agent: its text and tool calls. */
export interface Spoken {
  text: string;
  tool_calls: ToolCall[];
}

/** Players of a conversation. A person or a model plays each part, and may leave with a {@link LeftError}. */
export interface Players {
  /** Returns the agent's next reply. @param reply its number, from 0 */
  agent(messages: readonly ChatMessage[], reply: number): Promise<Spoken>;
  /**
   * Returns the user's next message with the stop token, or its fault, after which it is requested again.
   * @param said number of earlier messages of the user
   * @param faults those of the rejected attempts at this one
   */
  user(
    messages: readonly ChatMessage[],
    said: number,
    faults: readonly UserFault[],
  ): Promise<string | { fault: UserFault }>;
  /** Receives every tool call. @param messages the last one is its result */
  called(call: ToolCall, outcome: ToolOutcome, messages: readonly ChatMessage[]): void;
}

export interface PlayedRow {
  /** Outcome of the rollout; null if a player left. */
  outcome: RolloutOutcome | null;
  messages: ChatMessage[];
  reward: RewardOutput;
}

/**
 * Plays one row in memory, by the rules of a rollout, and judges it. Nothing is stored.
 * @throws RewardError, or an infrastructure error.
 */
export async function playRow(
  { row, registry }: LoadedRow,
  reward: Bundle['reward'],
  players: Players,
  { hasUser, stopToken }: { hasUser: boolean; stopToken: string },
): Promise<PlayedRow> {
  const seed = await seededBytes(row);
  let database = seed;
  const messages: ChatMessage[] = [...row.initial_messages];
  let asked: ToolCall[] = [];
  let faults: UserFault[] = [];

  const rollout = new Rollout(
    rolloutRules(row, hasUser),
    {
      agent: async ({ agent_turns }) => {
        const { text, tool_calls } = await players.agent(messages, agent_turns);
        asked = tool_calls;
        messages.push({
          role: 'assistant',
          content: text,
          ...(tool_calls.length === 0 ? {} : { tool_calls }),
        });
        return { ...noStepCost(), tool_calls: tool_calls.length };
      },
      tool: async ({ at }, index) => {
        const call = asked[index] as ToolCall;
        const version = at.version + 1;
        const place = { row, seed: `${row.id}/play/${version}` };
        const options = { allowed: row.tools_allowed };
        const { outcome, bytes } = await runToolCall(database, place, call, registry, options);
        database = bytes ?? database;
        messages.push({ role: 'tool', content: outcome.content, tool_call_id: call.id });
        players.called(call, outcome, messages);
        const goal = row.stop_at_goal ? await goalIn(database, row, async () => seed) : null;
        return { at: { ...at, version }, ok: outcome.ok, goal };
      },
      user: async ({ user_turns }) => {
        const said = await players.user(messages, user_turns, faults);
        if (typeof said !== 'string') {
          faults = [...faults, said.fault];
          return { ...noStepCost(), kind: 'faulty', fault: said.fault };
        }
        faults = [];
        const heard = readUserMessage(said, stopToken);
        const kind = userMove(heard, messages);
        if (heard.text !== '') messages.push({ role: 'user', content: heard.text });
        return { ...noStepCost(), kind };
      },
    },
    firstPlace({ version: 0, database: '' }),
  );
  const outcome = await rollout.run().catch((error: unknown) => {
    if (error instanceof LeftError) return null;
    throw error;
  });
  return { outcome, messages, reward: await runReward(reward, { row, messages, seed, database }) };
}
