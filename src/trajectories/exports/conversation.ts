import { type AssistantMessage, imagesOf, type Message, textOf } from '../message.js';
import type { TrajectoryData } from '../schema.js';
import { type NestedTool, nestedTool } from '../tool-calls.js';
import { refuse } from './refusal.js';

/** Messages of which some are replies that were sampled in the trajectory. */
export interface Conversation {
  /** Step and chat in which it ends, from 0. */
  step: number;
  chat: number;
  messages: readonly Message[];
  /** Positions of the sampled replies. Other assistant messages are context, such as examples. */
  replies: ReadonlySet<number>;
  /** The tools that were on offer, undefined entries where one is no function's. */
  tools: readonly (NestedTool | null)[];
}

/** Every chat of a trajectory with its last message as the reply. */
export function chatsOf(trajectory: TrajectoryData): Conversation[] {
  return trajectory.timesteps.flatMap(({ chats, available_tool_schemas }, step) =>
    chats.map(({ messages }, chat) => ({
      step,
      chat,
      messages,
      replies: new Set([messages.length - 1]),
      tools: (available_tool_schemas ?? []).map(nestedTool),
    })),
  );
}

/** What two chats must agree on for one to be the other's beginning. What was thought is sent back to few models. */
function fingerprints({ messages, tools }: Conversation): string[] {
  const print = (message: Message) =>
    JSON.stringify({ ...message, label: undefined, reasoning_content: undefined });
  return [JSON.stringify(tools), ...messages.map(print)];
}

/** The messages of a chat, with what was thought before them as its beginning has it. */
function withThoughts(messages: readonly Message[], beginning: readonly Message[]): Message[] {
  return messages.map((message, index) => {
    const begun = beginning[index];
    return begun?.role === 'assistant' && begun.reasoning_content != null ? begun : message;
  });
}

/**
 * The chats of a trajectory, where one that only begins a later one is part of it: an agent that sends its whole
 * history with every call gives one conversation with many replies, and none of them is trained on twice.
 */
export function conversationsOf(trajectory: TrajectoryData): Conversation[] {
  const open: { conversation: Conversation; prints: string[] }[] = [];
  for (const conversation of chatsOf(trajectory)) {
    const prints = fingerprints(conversation);
    const begun = open.findLast(
      (earlier) =>
        earlier.prints.length < prints.length &&
        earlier.prints.every((print, index) => print === prints[index]),
    );
    if (begun === undefined) {
      open.push({ conversation, prints });
    } else {
      const replies = new Set([...begun.conversation.replies, ...conversation.replies]);
      const messages = withThoughts(conversation.messages, begun.conversation.messages);
      begun.conversation = { ...conversation, messages, replies };
      begun.prints = prints;
    }
  }
  return open.map(({ conversation }) => conversation);
}

/** The tools of a conversation; refuses where one is no function's. */
export function toolsOf({ tools }: Conversation): NestedTool[] {
  return tools.map((tool, index) => tool ?? refuse(`tool ${index} on offer is not a function`));
}

/** The reply that ends a conversation; refuses where there is nothing to learn from. */
export function finalReply({ messages }: Conversation): AssistantMessage {
  const reply = messages.at(-1);
  if (reply?.role !== 'assistant') return refuse('the last message is not the assistant’s');
  if (messages.length < 2) return refuse('nothing comes before the reply');
  return reply;
}

/** Whether an assistant message says nothing, shows nothing and calls nothing. */
export function isEmptyReply(message: AssistantMessage): boolean {
  const says = textOf(message).trim() !== '' || imagesOf(message).length > 0;
  return !says && (message.tool_calls ?? []).length === 0;
}
