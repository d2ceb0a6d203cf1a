import type { Message } from '../message.js';
import { namedToolCall } from '../tool-calls.js';
import { type Conversation, finalReply, isEmptyMessage, toolsOf } from './conversation.js';
import { type ExportColumns, type ExportOptions, type ImagePathOf, localPath, savedOr } from './options.js';
import { formatParts, RowImages } from './parts.js';
import { refuse } from './refusal.js';

/*
 * TRL's conversational prompt-completion rows, for SFTTrainer: the loss is only on `completion`, the reply. `tools` is
 * JSON text, and `images` holds paths or URLs, one for each part `{type: 'image'}` of the messages. Arguments of tool
 * calls are objects, as chat templates expect, which `datasets` loads from version 4.7 on.
 * https://huggingface.co/docs/trl/dataset_formats
 */

type Row = Record<string, unknown>;

/** Returns paths and http(s) URLs, which `datasets` can open. */
const sourceToOpen: ImagePathOf = (source) => (/^https?:/i.test(source) ? source : localPath(source));

function contentOf(message: Message, columns: ExportColumns, images: RowImages): unknown {
  const { role, content } = message;
  // TRL puts images before a first message that is plain text: with images, all messages must have parts.
  if (!columns.images) return typeof content === 'string' ? content : textParts(content ?? []);
  return formatParts(message, images, {
    text: (text) => ({ type: 'text', text }),
    image: () => (role === 'tool' ? refuse('a message of a tool has an image') : { type: 'image' }),
  });
}

function textParts(parts: Exclude<Message['content'], string | null | undefined>): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : refuse('an image, and no images column')))
    .join('\n');
}

/** Converts a chat to a row; throws `ExportRefusedError` where the format cannot hold it. */
export function trlRow(conversation: Conversation, { columns, imagePath }: ExportOptions): Row {
  const reply = finalReply(conversation);
  if (isEmptyMessage(reply)) refuse('the reply is empty');
  const { messages } = conversation;
  const asked = messages.at(-2)?.role;
  if (asked !== 'user' && asked !== 'tool') refuse(`the prompt ends with a message of the ${asked}`);
  const names = new Map<string, string>();
  const images = new RowImages(
    savedOr(imagePath, sourceToOpen),
    'an image is a data URL: save it, and say where with imagePath',
  );
  const written = messages.map((message): Row => {
    const id = message.role === 'tool' ? message.tool_call_id : null;
    const name = message.name ?? (id == null ? null : names.get(id));
    const thought = message.role === 'assistant' ? message.reasoning_content : null;
    const row = {
      role: message.role,
      content: contentOf(message, columns, images),
      ...(name == null ? {} : { name }),
      ...(id == null ? {} : { tool_call_id: id }),
      ...(thought == null ? {} : { reasoning_content: thought }),
    };
    if (message.role !== 'assistant' || (message.tool_calls ?? []).length === 0) return row;
    const tool_calls = (message.tool_calls ?? []).map((call) => {
      const { id, name, isObject, parsed } = namedToolCall(call);
      if (id !== null) names.set(id, name);
      const fault = isObject
        ? 'hold numbers that would be rounded, or are nested too deep'
        : 'are not a JSON object';
      const called = { name, arguments: parsed ?? refuse(`the arguments of ${name} ${fault}`) };
      return { ...(id === null ? {} : { id }), type: 'function', function: called };
    });
    return { ...row, tool_calls };
  });
  const tools = toolsOf(conversation);
  return {
    prompt: written.slice(0, -1),
    completion: written.slice(-1),
    ...(columns.tools ? { tools: JSON.stringify(tools) } : {}),
    ...(columns.images ? { images: images.paths } : {}),
  };
}
