import { imagePartsOf, type Message, textOf } from './message.js';
import { namedToolCall, nestedTool } from './tool-calls.js';

/** A compiled Jinja template. The variables override globals of the same name, such as `strftime_now`. */
export interface ChatTemplate {
  render(variables: Record<string, unknown>): string;
}

export interface ChatTemplateOptions {
  /** True to end the text with the beginning of the model's reply. */
  addGenerationPrompt?: boolean;
  /** Tools that are offered, in the form of `available_tool_schemas`. */
  tools?: readonly Readonly<Record<string, unknown>>[] | null;
  /** Special tokens such as `bos_token` and `eos_token`, which templates insert. */
  specialTokens?: Readonly<Record<string, string>>;
  /** Fields of the messages that the template does not get. Labels are never passed. */
  exclude?: readonly string[];
  /**
   * Form of the contents: unchanged (default), all as one `text`, or all as a list of `parts`. Templates of text models
   * support texts only, and some of vision models lists only.
   */
  content?: 'as_is' | 'text' | 'parts';
  /** Form of tool calls' arguments: parsed (default, as most templates expect) or as their JSON text. */
  toolArguments?: 'object' | 'text';
  /** Date for templates that use it, in UTC; without it, using the date is an error. */
  now?: Date;
  /** Further variables of the template, such as `enable_thinking`. */
  variables?: Readonly<Record<string, unknown>>;
}

/** A template that does not fit the chat: it raised an error, or used a value that was not given. */
export class ChatTemplateError extends Error {
  override readonly name = 'ChatTemplateError';
}

/**
 * Renders messages like `tokenizer.apply_chat_template(…, tokenize=False)` of Hugging Face's transformers: tool calls
 * and tools nested (`{type: 'function', function: {…}}`), arguments parsed. Throws `ChatTemplateError`.
 */
export function applyChatTemplate(
  messages: readonly Message[],
  template: ChatTemplate,
  options: ChatTemplateOptions = {},
): string {
  const { addGenerationPrompt = false, tools, specialTokens, now, variables } = options;
  const offered = (tools ?? []).map((tool) => nestedTool(tool) ?? tool);
  try {
    return template.render({
      ...specialTokens,
      strftime_now: (format: string) => formatDate(format, now),
      ...variables,
      messages: messages.map((message) => templateMessage(message, options)),
      tools: offered.length === 0 ? null : offered,
      add_generation_prompt: addGenerationPrompt,
    });
  } catch (error) {
    if (error instanceof ChatTemplateError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ChatTemplateError(`the chat template failed: ${reason}`, { cause: error });
  }
}

function templateMessage(
  message: Message,
  { exclude = [], content = 'as_is', toolArguments = 'object' }: ChatTemplateOptions,
): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...message };
  if (content === 'text') {
    if (imagePartsOf(message).length > 0) throw new ChatTemplateError('an image cannot be shown as text');
    shown.content = textOf(message);
  } else if (content === 'parts' && typeof message.content === 'string') {
    shown.content = [{ type: 'text', text: message.content }];
  }
  if (message.role === 'assistant' && message.tool_calls != null) {
    shown.tool_calls = message.tool_calls.map((call) => {
      const { id, name, text, parsed } = namedToolCall(call);
      const called = toolArguments === 'text' ? text : (parsed ?? text);
      return { ...(id === null ? {} : { id }), type: 'function', function: { name, arguments: called } };
    });
  }
  for (const field of ['label', ...exclude]) delete shown[field];
  return shown;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

const padded = (value: number, digits = 2) => String(value).padStart(digits, '0');

const DIRECTIVES: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => padded(date.getUTCFullYear() % 100),
  m: (date) => padded(date.getUTCMonth() + 1),
  B: (date) => MONTHS[date.getUTCMonth()] as string,
  b: (date) => (MONTHS[date.getUTCMonth()] as string).slice(0, 3),
  d: (date) => padded(date.getUTCDate()),
  A: (date) => WEEKDAYS[date.getUTCDay()] as string,
  a: (date) => (WEEKDAYS[date.getUTCDay()] as string).slice(0, 3),
  H: (date) => padded(date.getUTCHours()),
  I: (date) => padded(((date.getUTCHours() + 11) % 12) + 1),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  M: (date) => padded(date.getUTCMinutes()),
  S: (date) => padded(date.getUTCSeconds()),
  '%': () => '%',
};

/** Formats a date like Python's `strftime`. */
function formatDate(format: string, now: Date | undefined): string {
  if (now === undefined) throw new ChatTemplateError('the chat template asks for the date: give `now`');
  return format.replace(/%(.)/g, (directive, letter: string) => {
    const write = DIRECTIVES[letter];
    if (write === undefined)
      throw new ChatTemplateError(`the chat template asks for a date with ${directive}`);
    return write(now);
  });
}
