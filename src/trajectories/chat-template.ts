import { imagesOf, type Message, textOf } from './message.js';
import { namedToolCall, nestedTool } from './tool-calls.js';

/** A compiled Jinja template. The variables replace globals of the same name, such as `strftime_now`. */
export interface ChatTemplate {
  render(variables: Record<string, unknown>): string;
}

export interface ChatTemplateOptions {
  /** Ends the text with what begins the model's reply. */
  addGenerationPrompt?: boolean;
  /** The tools on offer, as `available_tool_schemas` of a time step has them. */
  tools?: readonly Readonly<Record<string, unknown>>[] | null;
  /** `bos_token`, `eos_token` and the like, which templates write out. */
  specialTokens?: Readonly<Record<string, string>>;
  /** Fields of the messages that the template is not to see. Labels never are. */
  exclude?: readonly string[];
  /**
   * How contents are shown: as the chat has them (default), all as one `text`, or all as a list of `parts`. Templates
   * of text models know texts only, and some of vision models lists only.
   */
  content?: 'as_is' | 'text' | 'parts';
  /** Whether a template gets the arguments of tool calls parsed (default, as most want them) or as their JSON text. */
  toolArguments?: 'object' | 'text';
  /** What a template is told that asks for the date; without it, asking is an error. Taken in UTC. */
  now?: Date;
  /** Variables of the template's own, such as `enable_thinking`. */
  variables?: Readonly<Record<string, unknown>>;
}

/** A template that is not for this chat: it said so itself, or it asked for what it was not given. */
export class ChatTemplateError extends Error {
  override readonly name = 'ChatTemplateError';
}

/**
 * Renders messages as `tokenizer.apply_chat_template(…, tokenize=False)` of Hugging Face's transformers does: tool
 * calls and tools nested (`{type: 'function', function: {…}}`), arguments parsed. Throws `ChatTemplateError`.
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
    if (imagesOf(message).length > 0) throw new ChatTemplateError('an image cannot be shown as text');
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

/** Python's `strftime`, as far as templates use it. */
function formatDate(format: string, now: Date | undefined): string {
  if (now === undefined) throw new ChatTemplateError('the chat template asks for the date: give `now`');
  return format.replace(/%(.)/g, (directive, letter: string) => {
    const write = DIRECTIVES[letter];
    if (write === undefined)
      throw new ChatTemplateError(`the chat template asks for a date with ${directive}`);
    return write(now);
  });
}
