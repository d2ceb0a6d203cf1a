import { LRUCache } from 'lru-cache';
import type { CallStore } from '../../../activities/call-store.js';
import type { ChatMessage, ToolCall } from '../../../contracts/language-model.js';
import { missingFile } from '../../../storage/stored-file.js';
import type { DatabaseVersion, RolloutPlace } from '../contracts.js';
import { firstPlace } from '../rollouts/rollout.js';
import { rolloutRules } from '../rollouts/rules.js';
import { readUserMessage } from '../rollouts/simulated-user.js';
import type { Thoughts } from '../rollouts/thoughts.js';
import type { OpenRollout } from './agent-eval-context.js';
import { userTries } from './recorded-calls.js';
import { agentCall } from './rollout-names.js';

/** State of a rollout's conversation at a place. */
export interface RolloutConversation {
  /** The row's initial messages and all later ones, without the agent's system prompt. */
  messages: ChatMessage[];
  /** Those of the agent's replies, in their order. */
  thoughts: Thoughts[];
  agent_turns: number;
  user_turns: number;
  at: DatabaseVersion;
  /** Tool calls of the last reply that have not been answered. */
  open: ToolCall[];
  /** Tool calls of the last reply beyond the limit, which are not made. */
  refused: ToolCall[];
  awaits: 'agent' | 'user';
}

/** Place up to which a conversation is read. */
interface Extent {
  agent_turns: number;
  user_turns: number;
  version: number;
}

const CONVERSATIONS_IN_MEMORY = 128;

/**
 * Conversations, rebuilt from the records of model calls and tool calls. Recent ones are cached, so that a step reads
 * only what is new.
 */
export class Conversations {
  private readonly recent = new LRUCache<string, RolloutConversation>({ max: CONVERSATIONS_IN_MEMORY });

  constructor(
    private readonly calls: CallStore,
    private readonly stopToken: string,
    private readonly maxCalls: number,
  ) {}

  /** Returns the conversation at a place. @throws if the store does not hold all of it. */
  async at(
    rollout: OpenRollout,
    { agent_turns, user_turns, at }: RolloutPlace,
  ): Promise<RolloutConversation> {
    const extent = { agent_turns, user_turns, version: at.version };
    const read = await this.read(rollout, extent);
    const isThere =
      read.agent_turns === agent_turns && read.user_turns === user_turns && read.at.version === at.version;
    if (isThere) return read;
    const what = `what rollout ${rollout.rollout} of ${rollout.row} says after reply ${read.agent_turns} of ${agent_turns}`;
    throw missingFile(this.calls, what, null);
  }

  private async read(rollout: OpenRollout, to: Extent): Promise<RolloutConversation> {
    const name = `${rollout.row}/${rollout.rollout}`;
    const known = this.recent.get(name);
    const isBefore =
      known !== undefined &&
      known.agent_turns <= to.agent_turns &&
      known.user_turns <= to.user_turns &&
      known.at.version <= to.version;
    const from = isBefore ? known : await beginning(rollout);
    // Several steps may read concurrently, so a cached conversation is never changed.
    const conversation = {
      ...from,
      messages: [...from.messages],
      thoughts: [...from.thoughts],
      open: [...from.open],
    };
    while (await this.readNext(conversation, rollout, to));
    this.recent.set(name, conversation);
    return conversation;
  }

  /** Reads the next message. @returns whether there was one */
  private async readNext(
    conversation: RolloutConversation,
    rollout: OpenRollout,
    to: Extent,
  ): Promise<boolean> {
    if (conversation.open.length > 0) return readOutcome(conversation, rollout, to);
    return conversation.awaits === 'agent'
      ? this.readReply(conversation, rollout, to)
      : this.readUser(conversation, rollout, to);
  }

  private async readReply(
    conversation: RolloutConversation,
    rollout: OpenRollout,
    to: Extent,
  ): Promise<boolean> {
    if (conversation.agent_turns >= to.agent_turns) return false;
    const call = await this.calls.at(agentCall(rollout, conversation.agent_turns));
    if (call === null) return false;
    const { text, tool_calls = [], reasoning = '', as_given } = call.record;
    conversation.messages.push({
      role: 'assistant',
      content: text,
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    });
    conversation.thoughts.push({ reasoning, as_given });
    conversation.agent_turns += 1;
    conversation.open = tool_calls.slice(0, this.maxCalls);
    conversation.refused = tool_calls.slice(this.maxCalls);
    conversation.awaits = tool_calls.length === 0 && hasUser(rollout) ? 'user' : 'agent';
    return true;
  }

  private async readUser(
    conversation: RolloutConversation,
    rollout: OpenRollout,
    to: Extent,
  ): Promise<boolean> {
    if (conversation.user_turns >= to.user_turns) return false;
    const record = (await userTries(this.calls, rollout, conversation.user_turns)).at(-1);
    if (record === undefined) return false;
    const { text } = readUserMessage(record.text, this.stopToken);
    if (text !== '') conversation.messages.push({ role: 'user', content: text });
    conversation.user_turns += 1;
    conversation.awaits = 'agent';
    return true;
  }
}

async function beginning(rollout: OpenRollout): Promise<RolloutConversation> {
  const { row } = rollout.stored;
  const { agent_turns, user_turns, at } = firstPlace(await rollout.database.begin());
  return {
    messages: row.initial_messages,
    thoughts: [],
    agent_turns,
    user_turns,
    at,
    open: [],
    refused: [],
    awaits: rolloutRules(row).user_begins ? 'user' : 'agent',
  };
}

function hasUser({ stored }: OpenRollout): boolean {
  return rolloutRules(stored.row).has_user;
}

async function readOutcome(
  conversation: RolloutConversation,
  { database }: OpenRollout,
  to: Extent,
): Promise<boolean> {
  if (conversation.at.version >= to.version) return false;
  const [call] = conversation.open;
  const made = await database.made(conversation.at.version + 1);
  if (made === null || call === undefined) return false;
  conversation.messages.push({ role: 'tool', content: made.outcome.content, tool_call_id: call.id });
  conversation.open.shift();
  conversation.at = made.to;
  if (conversation.open.length === 0) refuse(conversation);
  return true;
}

/** Adds an error as the result of each call that is not made. */
function refuse(conversation: RolloutConversation): void {
  const { messages, refused } = conversation;
  const { tool_calls = [] } = messages.findLast(({ role }) => role === 'assistant') ?? {};
  const made = tool_calls.length - refused.length;
  const error = `this call was not made: of the ${tool_calls.length} tool calls of a reply, only the first ${made} are; make it again if it is still needed`;
  for (const { id } of refused) {
    messages.push({ role: 'tool', content: JSON.stringify({ error }), tool_call_id: id });
  }
  conversation.refused = [];
}
