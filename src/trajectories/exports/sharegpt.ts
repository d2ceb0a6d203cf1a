import { type AssistantMessage, type Message, textOf } from '../message.js';
import { namedToolCall } from '../tool-calls.js';
import { type Conversation, finalReply, isEmptyMessage, toolsOf } from './conversation.js';
import { type ExportOptions, localPath, savedOr } from './options.js';
import { formatParts, RowImages } from './parts.js';
import { refuse } from './refusal.js';

/*
 * ShareGPT rows in LLaMA-Factory's form: `conversations` of `{from, value}`, in which `human` or `observation` and
 * `gpt` or `function_call` take turns; `system`, `tools` (JSON text), and `images` (paths), one for each `<image>` in
 * the texts. Every `gpt` and `function_call` is trained on. https://github.com/hiyouga/LLaMA-Factory, data/README.md
 */

interface Turn {
  from: 'human' | 'gpt' | 'function_call' | 'observation';
  value: string;
}

const PLACEHOLDER = /<(image|video|audio)>/;

function withoutPlaceholder(text: string): string {
  const [placeholder] = PLACEHOLDER.exec(text) ?? [];
  if (placeholder === undefined) return text;
  return refuse(`a text contains ${placeholder}, which the format takes for a medium`);
}

function textWithImages(message: Message, images: RowImages): string {
  const image = () =>
    message.role === 'assistant' ? refuse('a message of the assistant has an image') : '<image>';
  return formatParts(message, images, { text: withoutPlaceholder, image }).join('\n');
}

function functionCall(message: AssistantMessage): string {
  if (textOf(message).trim() !== '')
    refuse('a reply has both text and tool calls: a turn can hold one of them');
  const calls = (message.tool_calls ?? []).map((call) => {
    const { name, text, isObject, parsed } = namedToolCall(call);
    if (!isObject) refuse(`the arguments of ${name} are not a JSON object`);
    const written = parsed === null ? text : JSON.stringify(parsed);
    return `{"name":${JSON.stringify(name)},"arguments":${written}}`;
  });
  return withoutPlaceholder(calls.length === 1 ? calls.join() : `[${calls.join()}]`);
}

function turnOf(message: Message, images: RowImages): Turn {
  switch (message.role) {
    case 'user':
      return { from: 'human', value: textWithImages(message, images) };
    case 'tool':
      return { from: 'observation', value: textWithImages(message, images) };
    case 'assistant':
      if (isEmptyMessage(message)) return refuse('a reply is empty');
      if ((message.tool_calls ?? []).length > 0)
        return { from: 'function_call', value: functionCall(message) };
      return { from: 'gpt', value: textWithImages(message, images) };
    case 'system':
      return refuse('a system message comes after the beginning');
  }
}

/** Joins what the format needs in one turn: texts of the same speaker, results of one reply's calls. */
function joined(turns: readonly Turn[]): Turn[] {
  const runs: Turn[][] = [];
  for (const turn of turns) {
    const last = runs.at(-1);
    if (last?.[0]?.from === turn.from) last.push(turn);
    else runs.push([turn]);
  }
  return runs.map((run) => {
    const [{ from, value }] = run as [Turn];
    if (run.length === 1) return { from, value };
    const values = run.map((turn) => turn.value);
    if (from === 'human') return { from, value: values.join('\n\n') };
    if (from === 'observation') return { from, value: JSON.stringify(values) };
    return refuse('two replies follow each other');
  });
}

/** Converts a conversation to a row; throws `ExportRefusedError` where the format cannot hold it. */
export function shareGPTRow(
  conversation: Conversation,
  { columns, imagePath }: ExportOptions,
): Record<string, unknown> {
  finalReply(conversation);
  const { messages, replies } = conversation;
  if (messages.some(({ role }, index) => role === 'assistant' && !replies.has(index))) {
    refuse('a reply of the context, such as an example, would be trained on: the format has no weights');
  }
  const start = messages.findIndex(({ role }) => role !== 'system');
  const images = new RowImages(
    savedOr(imagePath, localPath),
    'an image is not a file: save it, and say where with imagePath',
  );
  const system = messages.slice(0, start).map((message) => textWithImages(message, images));
  if (images.paths.length > 0) refuse('the system message has an image');
  const conversations = joined(messages.slice(start).map((message) => turnOf(message, images)));
  for (const [index, { from }] of conversations.entries()) {
    const asks = from === 'human' || from === 'observation';
    if (asks !== (index % 2 === 0))
      refuse(`turn ${index} is of ${from}: questions and replies must take turns`);
  }
  const tools = toolsOf(conversation).map((tool) => tool.function);
  return {
    conversations,
    system: system.join('\n\n'),
    ...(columns.tools ? { tools: tools.length === 0 ? '' : JSON.stringify(tools) } : {}),
    ...(columns.images ? { images: images.paths } : {}),
  };
}
