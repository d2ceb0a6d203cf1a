import { z } from 'zod';
import type { Frozen } from './frozen.js';

/*
 * The messages of a Chat. Fields that are not listed are dropped on reading, and a field that may be absent stays
 * absent: what is written is what was read.
 */

const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });

/** `image` is where it is: a data, http(s) or file URL, or a path. */
const imagePartSchema = z.object({ type: z.literal('image'), image: z.string() });

/** The form of OpenAI's API; beside the URL it may hold other texts, such as `detail`. */
const imageUrlPartSchema = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string() }).catchall(z.string()),
});

/** An image that a provider stores. It is kept, but nobody else can look at it. */
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

/** A call as `calls.jsonl` has it; `arguments` is the JSON text exactly as the model wrote it. */
const flatToolCallSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });

/**
 * A call in the form of Hugging Face's chat templates, which Reprise writes, with `arguments` parsed where they are an
 * object; and of OpenAI's API, where they are text.
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
/** `name` is who speaks, of a tool's message the tool; `label` is what `Chat.historyView` counts by. */
const common = { name: z.string().nullish(), label: z.string().nullish() };

export const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content, ...common }),
  z.object({ role: z.literal('user'), content, ...common }),
  z.object({
    role: z.literal('assistant'),
    /** May be null or absent beside tool calls. */
    content: content.nullish(),
    /** What the model thought before: chat templates of reasoning models read it. */
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

/** The text of a message; the texts of its parts, one below the other, where it has parts. */
export function textOf(message: Message): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export type AnyImagePart = ImagePart | ImageUrlPart | ImageFilePart;

/** Where an image is: its URL or path, or the id under which a provider stores it. */
export function imageSource(part: AnyImagePart): string {
  if (part.type === 'image') return part.image;
  return part.type === 'image_url' ? part.image_url.url : part.image_file.file_id;
}

/** The parts of a message that are not text. */
export function imagesOf({ content }: Message): AnyImagePart[] {
  if (typeof content === 'string') return [];
  return (content ?? []).filter((part) => part.type !== 'text');
}
