import { applyChatTemplate, type ChatTemplate, type ChatTemplateOptions } from './chat-template.js';
import type { Frozen } from './frozen.js';
import {
  type ExtractedImages,
  extractImages,
  type ImageLimits,
  type ImageReader,
  readerAndLimits,
} from './images.js';
import { type Message, messageSchema } from './message.js';
import { read, trust } from './read.js';
import { type ChatData, chatSchema } from './schema.js';

/** Tokens of a reply whose provider sent none. */
export const NO_TOKENS = { logprobs: null, top_tokens: null, token_top_logprobs: null };

/** Input of a chat; missing log probabilities are null. */
export type ChatInput = Pick<ChatData, 'messages'> & Partial<ChatData>;

/**
 * A contiguous exchange with a language model, of which time steps consist. Immutable: methods that add messages return
 * a new chat. Tokens and log probabilities belong to the reply to exactly these messages, so a chat with other messages
 * has none.
 */
export class Chat implements ChatData {
  readonly messages: readonly Message[];
  /** Values for the tokens of the last message, where the provider sent them. */
  readonly logprobs: readonly number[] | null;
  readonly top_tokens: Frozen<string[][]> | null;
  readonly token_top_logprobs: Frozen<number[][]> | null;
  readonly token_ids?: readonly number[];

  /** Throws `InvalidTrajectoryError` where the input is not a valid chat. */
  constructor(input: ChatInput) {
    const data = read(chatSchema, input, 'chat');
    this.messages = data.messages;
    this.logprobs = data.logprobs;
    this.top_tokens = data.top_tokens;
    this.token_top_logprobs = data.token_top_logprobs;
    if (data.token_ids !== undefined) this.token_ids = data.token_ids;
    Object.freeze(this);
  }

  /** Parses a chat from a JSON value. */
  static parse(value: unknown): Chat {
    return new Chat(value as ChatInput);
  }

  toJSON(): ChatData {
    const { messages, logprobs, top_tokens, token_top_logprobs, token_ids } = this;
    const ids = token_ids === undefined ? {} : { token_ids };
    return { messages, logprobs, top_tokens, token_top_logprobs, ...ids };
  }

  appendMessage(message: Message): Chat {
    return Chat.of([...this.messages, read(messageSchema, message, 'message')]);
  }

  prependMessage(message: Message): Chat {
    return Chat.of([read(messageSchema, message, 'message'), ...this.messages]);
  }

  /** Appends the messages of other chats. */
  concatChats(...others: readonly Chat[]): Chat {
    return Chat.of([this, ...others].flatMap(({ messages }) => messages));
  }

  /**
   * Returns the chat as a context window shows it: of the messages with a label in `limits`, at most that number, the
   * newest; all others, in their order.
   */
  historyView(limits: Readonly<Record<string, number>> = {}): Chat {
    const left = new Map(Object.entries(limits));
    const kept = this.messages.toReversed().filter(({ label }) => {
      const remaining = label ? left.get(label) : undefined;
      if (remaining === undefined) return true;
      left.set(label as string, remaining - 1);
      return remaining > 0;
    });
    return Chat.of(kept.reverse());
  }

  /** Returns the messages as plain objects, without the fields in `exclude`. */
  toMessages(exclude: readonly string[] = []): Record<string, unknown>[] {
    return this.messages.map((message) =>
      Object.fromEntries(Object.entries(message).filter(([field]) => !exclude.includes(field))),
    );
  }

  /** Renders the chat as the text that a model reads, with its Hugging Face chat template. */
  applyChatTemplate(template: ChatTemplate, options: ChatTemplateOptions = {}): string {
    return applyChatTemplate(this.messages, template, options);
  }

  /**
   * Reads the chat's images, in their order, and reports why others were not read. Never rejects. In Node.js no reader
   * is needed; `limits` sets from which hosts and folders images may come, and images in the chat itself are always
   * read.
   */
  extractImages(limits?: ImageLimits): Promise<ExtractedImages>;
  extractImages(reader: ImageReader | undefined, limits?: ImageLimits): Promise<ExtractedImages>;
  extractImages(first?: ImageReader | ImageLimits, second?: ImageLimits): Promise<ExtractedImages> {
    return extractImages(this.messages, ...readerAndLimits(first, second));
  }

  /** Creates a chat of messages that were validated one by one. */
  private static of(messages: readonly Message[]): Chat {
    return new Chat(trust({ messages, ...NO_TOKENS }, chatSchema));
  }
}
