import { z } from 'zod';
import type { Frozen } from './frozen.js';

/*
 * Schemas of a Chat's messages. Unknown fields are dropped on reading, and missing optional fields stay missing, so
 * that writing gives what was read.
 */

const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });

/** An image; `image` is its source: a data, http(s) or file URL, or a path. */
const imagePartSchema = z.object({ type: z.literal('image'), image: z.string() });

/** Form of OpenAI's API; `image_url` may have other texts, such as `detail`. */
const imageUrlPartSchema = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string() }).catchall(z.string()),
});

/** An image that a provider stores. It is kept, but nobody else can read it. */
const imageFilePartSchema = z.object({
  type: z.literal('image_file'),
  image_file: z.object({ file_id: z.string() }).catchall(z.string()),
});

export const contentPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  imagePartSchema,
  imageUrlPartSchema,
  imageFilePartSchema,
]);

/** A call as in `calls.jsonl`; `arguments` is the JSON text exactly as the model wrote it. */
const flatToolCallSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });

/**
 * A call in the form of Hugging Face's chat templates, which Reprise writes, with `arguments` parsed where they are an
 * object; or of OpenAI's API, where they are text.
 */
const nestedToolCallSchema = z.object({
  id: z.string().nullish(),
  type: z.literal('function').default('function'),
  function: z.object({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
  }),
});

export const toolCallSchema = z.union([flatToolCallSchema, nestedToolCallSchema]);

const content = z.union([z.string(), z.array(contentPartSchema)]);
/** `name` is the speaker or, in a tool's message, the tool; `Chat.historyView` counts by `label`. */
const common = { name: z.string().nullish(), label: z.string().nullish() };

export const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content, ...common }),
  z.object({ role: z.literal('user'), content, ...common }),
  z.object({
    role: z.literal('assistant'),
    /** May be null or absent with tool calls. */
    content: content.nullish(),
    /** Reasoning before the reply, which chat templates of reasoning models read. */
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCallSchema).nullish(),
    ...common,
  }),
  z.object({ role: z.literal('tool'), content, tool_call_id: z.string().nullish(), ...common }),
]);

export type TextPart = Frozen<z.output<typeof textPartSchema>>;
export type ImagePart = Frozen<z.output<typeof imagePartSchema>>;
export type ImageUrlPart = Frozen<z.output<typeof imageUrlPartSchema>>;
export type ImageFilePart = Frozen<z.output<typeof imageFilePartSchema>>;
export type ContentPart = Frozen<z.output<typeof contentPartSchema>>;
export type MessageToolCall = Frozen<z.output<typeof toolCallSchema>>;
export type Message = Frozen<z.output<typeof messageSchema>>;
export type SystemMessage = Extract<Message, { role: 'system' }>;
export type UserMessage = Extract<Message, { role: 'user' }>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;
export type ToolMessage = Extract<Message, { role: 'tool' }>;

/** Returns the text of a message; where it has parts, their texts joined by newlines. */
export function textOf(message: Message): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export type AnyImagePart = ImagePart | ImageUrlPart | ImageFilePart;

/** Returns an image's URL or path, or the id under which a provider stores it. */
export function imageSource(part: AnyImagePart): string {
  if (part.type === 'image') return part.image;
  return part.type === 'image_url' ? part.image_url.url : part.image_file.file_id;
}

/** Returns the parts of a message that are not text. */
export function imagePartsOf({ content }: Message): AnyImagePart[] {
  if (typeof content === 'string') return [];
  return (content ?? []).filter((part) => part.type !== 'text');
}
