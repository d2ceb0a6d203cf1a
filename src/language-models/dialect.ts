import { type AdaptableOption, OPTION_ROWS } from '../config/model-options.js';
import type { Api } from '../config/providers.js';
import type { JsonObject } from '../contracts/json.js';
import type { ChatMessage, GenerateReply, GenerateRequest } from '../contracts/language-model.js';
import { type Notify, onceEach, SHORT_ID } from './chat-messages.js';
import { CONTEXT_FULL } from './classify-error.js';
import { problemInText, readProblem, tidyErrorText, wordsOf } from './error-text.js';
import { LanguageModelError } from './errors.js';

/**
 * Fields of a request that a model at a server accepts; other fields are left out or sent in another form. Options are
 * called as in {@link OPTION_ROWS}.
 */
export interface Dialect extends Record<AdaptableOption, boolean> {
  /** vLLM's `return_token_ids`, which is only sent together with `logprobs`. */
  tokenIds: boolean;
  /** Only the thoughts since the user's last message; where a server requires all back, each reply has its own. */
  withoutThoughts: boolean;
  /** Calls without Google's signature; where a server requires one, they are sent with its documented stand-in. */
  unsigned: boolean;
  /** Thoughts before the calls of tools since the user's last message, as they were given. */
  thoughts: boolean;
  /** Ids of tool calls as they are; without them, those that are not of nine letters and digits are replaced. */
  ids: boolean;
  /** Formats of replies as a JSON Schema; without them, any object is OpenAI's older `json_object`. */
  jsonSchema: boolean;
  /** System messages; without them, their text begins the user's first message. */
  system: boolean;
  /** Name of the limit, of which OpenAI's protocol has two. */
  tokenField: 'max_tokens' | 'max_completion_tokens';
}

type Field = keyof Dialect;

/** Options that a request may be sent without. */
const ADAPTABLE = OPTION_ROWS.flatMap(([name, { wire, refusedAs }]) =>
  refusedAs === undefined ? [] : [{ name: name as AdaptableOption, wire, refusedAs }],
);

/** Returns the dialect of most models behind an API: with every option that it has. */
export function dialectOf(api: Api): Dialect {
  const options = Object.fromEntries(ADAPTABLE.map(({ name, wire }) => [name, wire[api] !== undefined]));
  return {
    ...(options as Record<AdaptableOption, boolean>),
    withoutThoughts: true,
    unsigned: true,
    thoughts: true,
    ids: true,
    jsonSchema: true,
    tokenIds: true,
    system: true,
    tokenField: 'max_tokens',
  };
}

/** Server's refusal of a request. */
interface Refusal {
  status: number;
  message: string;
  /** Field at fault, if the server reports it separately. */
  param: string;
}

/** A field that a server may refuse. */
interface FieldOf {
  /** Its names in the vendors' messages; every pattern takes linear time. */
  names: RegExp;
  /** Words of its refusal; {@link NOT_TAKEN} by default. */
  refusedIn?: RegExp;
  /** It is a part of the chat, which a server's template may refuse with another status. */
  isOfChat?: boolean;
  /** Reports whether a request has it, so that leaving it out would change the request. */
  isIn(request: GenerateRequest): boolean;
  /** Says what is sent instead; absent where nobody misses the field. */
  sentence?(parameters: GenerateRequest['parameters']): string;
}

/** Returns the row of an option, which is left out where a server refuses it. */
function optionRow(name: AdaptableOption, names: RegExp): FieldOf {
  return {
    names,
    isIn: ({ parameters }) => parameters[name] !== undefined,
    sentence: (parameters) => `lm.${name} ${parameters[name]} is left out`,
  };
}

/** Messages that the server does not accept the field, or only its default value. */
const NOT_TAKEN =
  /unsupported|not supported|n[o']t support|unrecognized|unknown|unexpected|permitted|extra|deprecated|no longer|removed|only|fixed|mandatory|cannot|can't|must be|should be|must alternate|invalid|not valid|not enabled|not allowed|not available|not applicable|disallow|disabled|incompatible|not accept/i;
/** Messages that the field would be accepted with another value: the user has to correct the config. */
const OUT_OF_RANGE =
  /\brange\b|\bbetween\b|less than|greater than|at (?:most|least)|too (?:large|high|small|low|long|big|many)|exceed|[<>]=?\s*-?\d/i;
/** Messages that the server does not know the name of the limit; only then is the other name tried. */
const UNKNOWN_NAME =
  /unsupported|not supported|n[o']t support|unrecognized|unknown|unexpected|permitted|extra|deprecated/i;

/** Messages that a request lacks a field. */
const REQUIRED = /missing|required|must be (?:passed|provided|included|sent)/i;

/** Fields in the order in which a refusal is searched for them. */
const FIELDS: Record<Field, FieldOf> = {
  withoutThoughts: {
    names: /\breasoning_content\b/i,
    refusedIn: REQUIRED,
    isIn: ({ messages }) => messages.some(({ reasoning }) => reasoning !== undefined),
  },
  unsigned: {
    names: /\bthought_?signature\b/i,
    refusedIn: REQUIRED,
    isIn: ({ messages }) =>
      messages.some(({ tool_calls, as_given }) => tool_calls !== undefined && as_given?.calls === undefined),
  },
  thoughts: {
    names:
      /\breasoning_?(?:content|details)\b|\bextra_content\b|^(?=[\s\S]*\b(?:messages?|assistant|content|blocks?|field|property|name|inputs?)\b)(?=[\s\S]*\b(?:reasoning|(?:redacted_)?thinking|thoughts?|signature)\b)/i,
    isOfChat: true,
    isIn: ({ messages }) =>
      messages.slice(turnIn(messages)).some(({ as_given }) => as_given?.thoughts ?? as_given?.text),
    sentence: () => 'the thoughts before a tool call are not sent back with its result',
  },
  ids: {
    names: /\btool[ _]?(?:call|use)s?(?:\[\d+\])?[ ._]?ids?\b/i,
    refusedIn: /\blength\b|\bpattern\b|too long|alphanumeric|characters/i,
    isOfChat: true,
    isIn: ({ messages }) =>
      messages.some(({ tool_calls = [] }) => tool_calls.some(({ id }) => !SHORT_ID.test(id))),
  },
  tokenIds: {
    names: /\breturn_token_ids\b/i,
    isIn: ({ parameters }) => parameters.logprobs !== undefined,
  },
  ...(Object.fromEntries(
    ADAPTABLE.map(({ name, refusedAs }) => [name, optionRow(name, refusedAs)]),
  ) as Record<AdaptableOption, FieldOf>),
  jsonSchema: {
    names: /\bresponse[_ ]?format\b|\bjson_schema\b/i,
    refusedIn:
      /unavailable|unsupported|not supported|n[o']t support|unknown|not available|must be|expected|not valid|permitted/i,
    isIn: ({ parameters }) =>
      parameters.response_format !== undefined && isAnyObject(parameters.response_format),
    sentence: () => 'lm.response_format is sent as json_object',
  },
  system: {
    isOfChat: true,
    names:
      /\bsystem[ _-]?(?:role|message|prompt|instruction)s?\b|\bdeveloper instruction\b|\brole\b[^.]{0,20}['"`]?\bsystem\b|['"`]system['"`]|only user(?:,| and) (?:model|assistant) roles|\broles must alternate\b/i,
    isIn: ({ messages }) => messages.some(isSystem),
    sentence: () => "the system prompt begins the user's first message",
  },
  tokenField: {
    names: /\bmax_tokens\b|\bmax_completion_tokens\b/,
    refusedIn: UNKNOWN_NAME,
    isIn: ({ parameters }) => parameters.max_output_tokens !== undefined,
  },
};

const NAMES = Object.keys(FIELDS) as Field[];

/** Messages that list the values of an effort: the model takes one, and the user has to name another. */
const CHOICE = /supported (?:values|levels)|input should be|\bone of\b/i;

/** Statuses of requests that are refused for their content; llama.cpp answers 500 if its chat template fails. */
const REFUSING = [400, 422];
const REFUSING_CHAT = [400, 404, 422, 500];

function refusalIn(error: unknown): Refusal | null {
  if (error instanceof LanguageModelError) {
    return { status: error.status ?? 0, message: error.message, param: '' };
  }
  if (!(error instanceof Error)) return null;
  const { status, error: body, param } = error as { status?: unknown; error?: unknown; param?: unknown };
  if (typeof status !== 'number') return null;
  const problem = readProblem(body) ?? problemInText(error.message);
  const message = (problem && wordsOf(problem)) ?? error.message;
  return { status, message, param: typeof param === 'string' ? param : '' };
}

/** Reports whether a request holds the field, so that leaving it out would change the request. */
type Holds = (field: Field) => boolean;

/** Links, whose words are no reason: OpenAI's refusal of a prompt links to a page on reasoning. */
const LINK = /https?:\/\/\S+/g;

function refuses(field: Field, { status, message: said, param }: Refusal): boolean {
  const { names, refusedIn = NOT_TAKEN, isOfChat = false } = FIELDS[field];
  const message = said.replace(LINK, '');
  const isNamed = param === field || names.test(param) || names.test(message);
  if (!isNamed || !(isOfChat ? REFUSING_CHAT : REFUSING).includes(status)) return false;
  if (!refusedIn.test(message)) return false;
  // A server that misses thoughts does not refuse them, nor does one that fails on those of its own.
  const isOfTemplate = status !== 500 || /template|jinja|assistant/i.test(message);
  if (field === 'thoughts' && (!isOfTemplate || refuses('withoutThoughts', { status, message, param })))
    return false;
  if (isOfChat || refusedIn !== NOT_TAKEN) return true;
  // OpenAI refuses some combinations of tools and effort. That is no refusal of the effort as such.
  const isThinking = field === 'thinking_budget' || field === 'reasoning_effort';
  if (isThinking && /\btools?\b|\breasoning_content\b/i.test(message)) return false;
  if (field === 'reasoning_effort' && CHOICE.test(message)) return false;
  return !OUT_OF_RANGE.test(message);
}

/**
 * Returns the dialect to try after a server refused a field, or undefined if the refusal has another reason. Such a
 * refusal costs nothing, and models change faster than a table of them could.
 */
export function adaptDialect(dialect: Dialect, error: unknown, holds: Holds): Dialect | undefined {
  const refusal = refusalIn(error);
  if (refusal === null || CONTEXT_FULL.test(refusal.message)) return undefined;
  for (const field of NAMES) {
    if (!holds(field) || !refuses(field, refusal)) continue;
    if (field === 'tokenField') {
      const tokenField = dialect.tokenField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      return { ...dialect, tokenField };
    }
    if (dialect[field]) return { ...dialect, [field]: false };
  }
  return undefined;
}

/** Dialect of one model at one server, learned from its refusals. */
export class LearnedDialect {
  /** Server's message when it first refused each field. */
  private readonly reasons = new Map<Field, string>();
  private readonly notify: Notify;
  private readonly secrets: readonly string[];

  /** @param notify gets a sentence, once, about each parameter that is not sent as requested. */
  constructor(
    private current: Dialect,
    { notify, secrets = [] }: { notify?: Notify; secrets?: readonly string[] },
  ) {
    this.notify = onceEach(notify);
    this.secrets = secrets;
  }

  /**
   * Sends a request, and again without each field that the server refuses, or with the field in another form. The new
   * dialect is kept once a request with it was answered: a refusal that only quotes a field's name changes nothing.
   * @param send its `say` reports other parameters that it could not send as requested.
   */
  async ask(
    request: GenerateRequest,
    send: (dialect: Dialect, say: Notify) => Promise<GenerateReply>,
    holds: Holds = (field) => holdsField(request, field),
  ): Promise<GenerateReply> {
    const tried = new Set<string>();
    const reasons = new Map(this.reasons);
    for (let dialect = this.current; ; ) {
      tried.add(JSON.stringify(dialect));
      const adapted: string[] = [];
      try {
        const reply = await send(dialect, (sentence) => adapted.push(sentence));
        this.learn(dialect, reasons);
        adapted.push(...this.sentences(request, dialect, holds));
        adapted.forEach(this.notify);
        return adapted.length === 0 ? reply : { ...reply, adapted };
      } catch (error) {
        const next = adaptDialect(dialect, error, holds);
        // Alternating refusals must not repeat requests endlessly.
        if (next === undefined || tried.has(JSON.stringify(next))) throw error;
        const changed = NAMES.find((field) => next[field] !== dialect[field]);
        if (changed !== undefined) reasons.set(changed, this.wordsOf(error));
        dialect = next;
      }
    }
  }

  private wordsOf(error: unknown): string {
    return tidyErrorText(refusalIn(error)?.message ?? '', this.secrets);
  }

  /** Merges a dialect into the current one, which may have changed: a refused field stays left out. */
  private learn(dialect: Dialect, reasons: ReadonlyMap<Field, string>): void {
    const learned = { ...dialect };
    for (const field of NAMES) if (field !== 'tokenField') learned[field] &&= this.current[field];
    this.current = learned;
    for (const [field, reason] of reasons) this.reasons.set(field, reason);
  }

  private sentences({ parameters }: GenerateRequest, dialect: Dialect, holds: Holds): string[] {
    return NAMES.flatMap((field) => {
      const sentence = FIELDS[field].sentence?.(parameters);
      if (sentence === undefined || dialect[field] !== false || !holds(field)) return [];
      const reason = this.reasons.get(field);
      return `${sentence}: ${reason === undefined ? 'the model takes none' : `the server says: ${reason}`}`;
    });
  }
}

/**
 * Returns the position after the user's last message: what follows are replies with calls, and their results. What the
 * user says beside results begins no turn.
 */
export function turnIn(messages: readonly ChatMessage[]): number {
  return messages.findLastIndex(({ role }, at) => role === 'user' && messages[at - 1]?.role !== 'tool') + 1;
}

/** Returns a message of the chat with what its provider gave with it, of its thoughts only those that are wanted. */
function withGiven(message: ChatMessage, isWanted: boolean): ChatMessage {
  const { as_given: given, ...said } = message;
  if (isWanted) return { ...message, content: given?.text ?? message.content };
  return given?.calls === undefined ? said : { ...said, as_given: { calls: given.calls } };
}

/** Reports whether a JSON Schema takes any object. */
export function isAnyObject({
  type,
  title: _title,
  description: _description,
  ...rest
}: JsonObject): boolean {
  const { additionalProperties = true, ...others } = rest;
  return type === 'object' && additionalProperties === true && Object.keys(others).length === 0;
}

function isSystem({ role, content }: ChatMessage): boolean {
  return role === 'system' && content.trim() !== '';
}

/** Reports whether a request has the field. */
export function holdsField(request: GenerateRequest, field: Field): boolean {
  return FIELDS[field].isIn(request);
}

/**
 * Returns a chat in a server's dialect: without blank system messages, or with all of them in the user's first message;
 * with the thoughts of the present turn alone.
 */
export function inDialect(
  given: readonly ChatMessage[],
  { system, thoughts = true }: Pick<Dialect, 'system'> & Partial<Dialect>,
): ChatMessage[] {
  const turn = turnIn(given);
  const messages = given.map((message, index) => withGiven(message, thoughts && index >= turn));
  const others = messages.filter(({ role }) => role !== 'system');
  const instructions = messages.filter(isSystem);
  if (system) return messages.filter((message) => message.role !== 'system' || isSystem(message));
  if (instructions.length === 0) return others;
  const text = instructions.map(({ content }) => content).join('\n\n');
  const [first, ...rest] = others;
  return first?.role === 'user'
    ? [{ ...first, content: `${text}\n\n${first.content}` }, ...rest]
    : [{ role: 'user', content: text }, ...others];
}
