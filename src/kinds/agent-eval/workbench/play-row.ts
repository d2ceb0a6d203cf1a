import type { ChatMessage, ToolCall } from '../../../contracts/language-model.js';
import { noStepCost } from '../../../runtime/step-cost.js';
import type { ToolOutcome } from '../bundles/contracts.js';
import { judge } from '../bundles/judge.js';
import type { Bundle } from '../bundles/load.js';
import type { RewardOutput } from '../bundles/reward.js';
import type { LoadedRow } from '../bundles/row-loader.js';
import { runToolCall } from '../bundles/run-tool-call.js';
import type { RolloutOutcome, UserFault } from '../contracts.js';
import { firstPlace, Rollout } from '../rollouts/rollout.js';
import { rolloutRules } from '../rollouts/rules.js';
import { readUserMessage, userMove } from '../rollouts/simulated-user.js';
import { goalIn } from './goal-in.js';
import { seededBytes } from './seeded-bytes.js';

/** Somebody leaves before the conversation is over. */
export class LeftError extends Error {
  override readonly name = 'LeftError';
}

/** What an agent says, and the tools that it calls. */
export interface Spoken {
  text: string;
  tool_calls: ToolCall[];
}

/** Who is in a conversation. A person or a model plays each part, and may leave with a {@link LeftError}. */
export interface Players {
  /** The agent's next reply. @param reply from 0 */
  agent(messages: readonly ChatMessage[], reply: number): Promise<Spoken>;
  /**
   * The user's next message, the stop token still in it; or what is wrong with it, and it is asked for again.
   * @param said messages of the user before it; @param faults tries for it that came to nothing
   */
  user(
    messages: readonly ChatMessage[],
    said: number,
    faults: readonly UserFault[],
  ): Promise<string | { fault: UserFault }>;
  /** Hears of every tool call. @param messages its answer is the last one */
  called(call: ToolCall, outcome: ToolOutcome, messages: readonly ChatMessage[]): void;
}

export interface PlayedRow {
  /** null where somebody left. */
  outcome: RolloutOutcome | null;
  messages: ChatMessage[];
  reward: RewardOutput;
}

/**
 * Plays one row in memory, by the rules of a rollout, and judges it. Nothing is kept.
 * @throws RewardError, or the infrastructure's own error.
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
        const goal = row.stop_at_goal ? await goalIn(database, row) : null;
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
  return { outcome, messages, reward: await judge(reward, { row, messages, seed, database }) };
}
