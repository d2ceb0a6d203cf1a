import { imageTypeOf } from '../image-types.js';
import { decodeDataUrl } from '../images.js';
import { type AssistantMessage, type ContentPart, imagePartsOf, type Message, textOf } from '../message.js';
import { namedToolCall } from '../tool-calls.js';
import { type Conversation, finalReply, isEmptyMessage, toolsOf } from './conversation.js';
import { refuse } from './refusal.js';

/*
 * Chat format of OpenAI's supervised fine-tuning, which others accept as well: a row is `{messages, tools?}`, and an
 * assistant message with `weight: 0` is context that is not trained on.
 * https://developers.openai.com/api/docs/guides/supervised-fine-tuning and …/vision-fine-tuning
 */

const MAXIMUM_IMAGES = 10;
const MAXIMUM_IMAGE_BYTES = 10 * 1024 * 1024;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'];

type Row = Record<string, unknown>;

function imagePart(source: string, extra: Row): Row {
  if (/^data:/i.test(source)) {
    let bytes: Uint8Array;
    try {
      bytes = decodeDataUrl(source, MAXIMUM_IMAGE_BYTES);
    } catch (error) {
      return refuse(`an image: ${(error as Error).message}`);
    }
    const type = imageTypeOf(bytes);
    if (type === null || !IMAGE_TYPES.includes(type)) {
      return refuse(`an image is ${type ?? 'of no known format'}: only JPEG, PNG and WEBP can be trained on`);
    }
  } else if (!/^https?:/i.test(source)) {
    return refuse('an image is a file: only http(s) and data URLs can be uploaded');
  }
  return { type: 'image_url', image_url: { ...extra, url: source } };
}

function part(content: ContentPart): Row {
  if (content.type === 'text') return { ...content };
  if (content.type === 'image') return imagePart(content.image, {});
  if (content.type === 'image_url') {
    const { url, ...extra } = content.image_url;
    return imagePart(url, extra);
  }
  return refuse('an image is stored by a provider under an id');
}

const named = ({ name }: Message): Row => (name == null ? {} : { name });

function assistantMessage(message: AssistantMessage, trained: boolean): Row {
  if (trained && isEmptyMessage(message)) return refuse('a reply is empty');
  const text = textOf(message);
  const tool_calls = (message.tool_calls ?? []).map((call) => {
    const { id, name, text: called } = namedToolCall(call);
    if (id === null) return refuse(`the call of ${name} has no id`);
    return { id, type: 'function', function: { name, arguments: called } };
  });
  return {
    role: 'assistant',
    ...(text === '' && tool_calls.length > 0 ? {} : { content: text }),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    ...named(message),
    ...(trained ? {} : { weight: 0 }),
  };
}

function openAIMessage(message: Message, trained: boolean): Row {
  if (message.role !== 'user' && imagePartsOf(message).length > 0) {
    return refuse(`a message of the ${message.role} has an image: only the user’s may`);
  }
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message), ...named(message) };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(part),
        ...named(message),
      };
    case 'assistant':
      return assistantMessage(message, trained);
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: textOf(message) };
  }
}

/** Checks tool messages: the API requires an answer to each call before any other message, and no others. */
function checkAnswers(messages: readonly Message[]): void {
  let waiting = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? refuse('a tool’s message does not say which call it answers');
      if (!waiting.delete(id)) refuse(`a tool’s message answers ${id}, which was not called before it`);
      continue;
    }
    if (waiting.size > 0) refuse(`the call ${[...waiting][0]} is not answered`);
    if (message.role !== 'assistant') continue;
    waiting = new Set((message.tool_calls ?? []).map((call) => namedToolCall(call).id ?? ''));
  }
}

/** Converts a conversation to a row; throws `ExportRefusedError` where the format cannot hold it. */
export function openAIRow(conversation: Conversation): Row {
  finalReply(conversation);
  const { messages, replies } = conversation;
  checkAnswers(messages);
  const images = messages.reduce((count, message) => count + imagePartsOf(message).length, 0);
  if (images > MAXIMUM_IMAGES) refuse(`${images} images: an example may have ${MAXIMUM_IMAGES}`);
  const tools = toolsOf(conversation);
  return {
    messages: messages.map((message, index) => openAIMessage(message, replies.has(index))),
    ...(tools.length > 0 ? { tools } : {}),
  };
}
