import { type AssistantMessage, imagePartsOf, type Message, textOf } from '../message.js';
import type { TrajectoryData } from '../schema.js';
import { type NestedTool, nestedTool } from '../tool-calls.js';
import { refuse } from './refusal.js';

/** Messages with the positions of the replies that were sampled in the trajectory. */
export interface Conversation {
  /** Step and chat at its end, from 0. */
  step: number;
  chat: number;
  messages: readonly Message[];
  /** Positions of the sampled replies. Other assistant messages are context, such as examples. */
  replies: ReadonlySet<number>;
  /** Tools that were offered; null for one that is not a function. */
  tools: readonly (NestedTool | null)[];
}

/** Returns every chat of a trajectory, with its last message as the reply. */
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

/** Returns keys that a chat shares with its beginning. Reasoning is ignored: few models get it back. */
function fingerprints({ messages, tools }: Conversation): string[] {
  const print = (message: Message) =>
    JSON.stringify({ ...message, label: undefined, reasoning_content: undefined });
  return [JSON.stringify(tools), ...messages.map(print)];
}

/** Adds the reasoning of earlier messages to a chat, from the chat that is its beginning. */
function withThoughts(messages: readonly Message[], beginning: readonly Message[]): Message[] {
  return messages.map((message, index) => {
    const begun = beginning[index];
    return begun?.role === 'assistant' && begun.reasoning_content != null ? begun : message;
  });
}

/**
 * Merges the chats of a trajectory where one is the beginning of a later one: an agent that sends its whole history
 * with every call gives one conversation with many replies, and each is trained on only once.
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

/** Returns the tools of a conversation; refuses tools that are not functions. */
export function toolsOf({ tools }: Conversation): NestedTool[] {
  return tools.map((tool, index) => tool ?? refuse(`tool ${index} on offer is not a function`));
}

/** Returns the reply that ends a conversation; refuses where there is none, or no prompt. */
export function finalReply({ messages }: Conversation): AssistantMessage {
  const reply = messages.at(-1);
  if (reply?.role !== 'assistant') return refuse('the last message is not the assistant’s');
  if (messages.length < 2) return refuse('nothing comes before the reply');
  return reply;
}

/** True if an assistant message has no text, no images and no tool calls. */
export function isEmptyMessage(message: AssistantMessage): boolean {
  const says = textOf(message).trim() !== '' || imagePartsOf(message).length > 0;
  return !says && (message.tool_calls ?? []).length === 0;
}

/**
 * Returns a conversation up to its last reply that says something: an agent may end without a last word. Unchanged
 * where the model has said nothing before it.
 */
export function withoutEmptyEnd(conversation: Conversation): Conversation {
  const { messages, replies } = conversation;
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !isEmptyMessage(last)) return conversation;
  const earlier = [...replies].filter((reply) => reply < messages.length - 1);
  if (earlier.length === 0) return conversation;
  return {
    ...conversation,
    messages: messages.slice(0, Math.max(...earlier) + 1),
    replies: new Set(earlier),
  };
}
