import type { ChatMessage, GenerateReply, GenerateRequest } from '../contracts/language-model.js';
import { type Notice, onceEach } from './chat-messages.js';
import { readProblem, tidyErrorText } from './error-text.js';
import { LanguageModelError } from './errors.js';

/** What a model at a server takes of what a request may hold; the rest is left out, or said in another place. */
export interface Dialect {
  temperature: boolean;
  /** A thinking budget, a reasoning effort: whatever the protocol has. */
  thinking: boolean;
  /** Log probabilities of the reply's tokens. */
  logprobs: boolean;
  /** `return_token_ids` of vLLM beside them, which nobody asks for by itself. */
  tokenIds: boolean;
  /** System messages; without them their text begins the first message of the user. */
  system: boolean;
  /** OpenAI's protocol has two names for the limit. */
  tokenField: 'max_tokens' | 'max_completion_tokens';
}

type Field = keyof Dialect;

/** What most models take. */
export const COMMON_DIALECT: Dialect = {
  temperature: true,
  thinking: true,
  logprobs: true,
  tokenIds: true,
  system: true,
  tokenField: 'max_tokens',
};

/** What a server said when it refused a request. */
interface Refusal {
  status: number;
  message: string;
  /** The field that it names apart from its words. */
  param: string;
}

/** Each field in the words of the vendors, as far as they are known; every pattern is linear. */
const NAMES: Record<Field, RegExp> = {
  temperature: /\btemperature\b/i,
  thinking:
    /\breasoning\b|\breasoning_effort\b|\bthinking\b|\bthinking_?(?:budget|level|config)\b|\bbudget_tokens\b|\boutput_config\b|^budget \d/i,
  logprobs: /\blog_?probs\b|\btop_?log_?probs\b|\bresponse_?log_?probs\b/i,
  tokenIds: /\breturn_token_ids\b/i,
  system:
    /\bsystem[ _-]?(?:role|message|prompt|instruction)s?\b|\bdeveloper instruction\b|\brole\b[^.]{0,20}['"`]?\bsystem\b|['"`]system['"`]|only user(?:,| and) (?:model|assistant) roles|\broles must alternate\b/i,
  tokenField: /\bmax_tokens\b|\bmax_completion_tokens\b/,
};

/** The server does not take the field, or only the value that it takes without it. */
const NOT_TAKEN =
  /unsupported|not supported|n[o']t support|unrecognized|unknown|unexpected|permitted|extra|deprecated|no longer|removed|only|fixed|mandatory|cannot|can't|must be|should be|must alternate|invalid|not valid|not enabled|not allowed|not available|not applicable|disallow|disabled|incompatible|not accept/i;
/** The field would be taken with another value: that is the config's to mend, and is said to the user. */
const OUT_OF_RANGE =
  /\brange\b|\bbetween\b|less than|greater than|at (?:most|least)|too (?:large|high|small|low|long|big|many)|exceed|[<>]=?\s*-?\d/i;
/** The names of the limit are taken for each other only where a server does not know the one. */
const UNKNOWN_NAME =
  /unsupported|not supported|n[o']t support|unrecognized|unknown|unexpected|permitted|extra|deprecated/i;

/** Statuses with which a request is refused for what it holds; llama.cpp answers 500 where a chat template does. */
const REFUSING = [400, 422];
const REFUSING_SYSTEM = [400, 404, 422, 500];

function refusalIn(error: unknown): Refusal | null {
  if (error instanceof LanguageModelError) {
    return { status: error.status ?? 0, message: error.message, param: '' };
  }
  if (!(error instanceof Error)) return null;
  const { status, error: body, param } = error as { status?: unknown; error?: unknown; param?: unknown };
  if (typeof status !== 'number') return null;
  const message = readProblem(body)?.message ?? problemInText(error.message) ?? error.message;
  return { status, message, param: typeof param === 'string' ? param : '' };
}

/** @google/genai: the message is the error's body. */
function problemInText(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return readProblem(JSON.parse(text))?.message;
  } catch {
    return undefined;
  }
}

/** Whether a request holds the field, so that leaving it out would change anything. */
type Holds = (field: Field) => boolean;

function refuses(field: Field, { status, message, param }: Refusal): boolean {
  const isNamed = param === field || NAMES[field].test(param) || NAMES[field].test(message);
  if (!isNamed || !(field === 'system' ? REFUSING_SYSTEM : REFUSING).includes(status)) return false;
  if (field === 'tokenField') return UNKNOWN_NAME.test(message);
  if (!NOT_TAKEN.test(message)) return false;
  if (field === 'system') return true;
  // OpenAI: no tools beside an effort, which another field would have to give way for.
  if (field === 'thinking' && /\btools?\b/i.test(message)) return false;
  return !OUT_OF_RANGE.test(message);
}

const FIELDS: readonly Field[] = ['temperature', 'thinking', 'tokenIds', 'logprobs', 'system', 'tokenField'];

/**
 * The dialect to try after a server refused a field, or undefined where the refusal is about something else. Such a
 * refusal costs nothing, and the names of models change faster than any table here could.
 */
export function adaptDialect(dialect: Dialect, error: unknown, holds: Holds): Dialect | undefined {
  const refusal = refusalIn(error);
  if (refusal === null) return undefined;
  for (const field of FIELDS) {
    if (!holds(field) || !refuses(field, refusal)) continue;
    if (field === 'tokenField') {
      const tokenField = dialect.tokenField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      return { ...dialect, tokenField };
    }
    if (dialect[field]) return { ...dialect, [field]: false };
  }
  return undefined;
}

/** What the requests to one model at one server have taught of it. */
export class LearnedDialect {
  /** What the server said when it first refused each field. */
  private readonly reasons = new Map<Field, string>();
  private readonly notice: Notice;
  private readonly secrets: readonly string[];

  /** @param notice hears, once each, how requests are sent otherwise than they were asked for. */
  constructor(
    private current: Dialect,
    { notice, secrets = [] }: { notice?: Notice; secrets?: readonly string[] },
  ) {
    this.notice = onceEach(notice);
    this.secrets = secrets;
  }

  /**
   * Sends a request, and once more without each field that the server refuses, or with it in another place. What is
   * learned is kept once such a request was answered: a refusal that only quotes a field's name changes nothing.
   * @param send is told to say what else it could not send as it was asked for.
   */
  async ask(
    request: GenerateRequest,
    send: (dialect: Dialect, say: Notice) => Promise<GenerateReply>,
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
        adapted.forEach(this.notice);
        return adapted.length === 0 ? reply : { ...reply, adapted };
      } catch (error) {
        const next = adaptDialect(dialect, error, holds);
        // Two refusals must not chase each other.
        if (next === undefined || tried.has(JSON.stringify(next))) throw error;
        const changed = FIELDS.find((field) => next[field] !== dialect[field]);
        if (changed !== undefined) reasons.set(changed, this.wordsOf(error));
        dialect = next;
      }
    }
  }

  private wordsOf(error: unknown): string {
    return tidyErrorText(refusalIn(error)?.message ?? '', this.secrets);
  }

  /** Others may have learned something meanwhile; a field that is refused once stays so. */
  private learn(dialect: Dialect, reasons: ReadonlyMap<Field, string>): void {
    const { temperature, thinking, logprobs, tokenIds, system } = this.current;
    this.current = {
      temperature: temperature && dialect.temperature,
      thinking: thinking && dialect.thinking,
      logprobs: logprobs && dialect.logprobs,
      tokenIds: tokenIds && dialect.tokenIds,
      system: system && dialect.system,
      tokenField: dialect.tokenField,
    };
    for (const [field, reason] of reasons) this.reasons.set(field, reason);
  }

  private sentences({ parameters }: GenerateRequest, dialect: Dialect, holds: Holds): string[] {
    const { temperature, thinking_budget, logprobs } = parameters;
    const what: [Field, string][] = [
      ['temperature', `lm.temperature ${temperature} is left out`],
      ['thinking', `lm.thinking_budget ${thinking_budget} is left out`],
      ['logprobs', `lm.logprobs ${logprobs} is left out`],
      ['system', "the system prompt begins the user's first message"],
    ];
    return what
      .filter(([field]) => dialect[field] === false && holds(field))
      .map(([field, sentence]) => {
        const reason = this.reasons.get(field);
        return `${sentence}: ${reason === undefined ? 'the model takes none' : `the server says: ${reason}`}`;
      });
  }
}

function isSystem({ role, content }: ChatMessage): boolean {
  return role === 'system' && content.trim() !== '';
}

/** Whether a request has the field at all. */
export function holdsField({ parameters, messages }: GenerateRequest, field: Field): boolean {
  switch (field) {
    case 'temperature':
      return parameters.temperature !== undefined;
    case 'thinking':
      return parameters.thinking_budget !== undefined;
    case 'logprobs':
    case 'tokenIds':
      return parameters.logprobs !== undefined;
    case 'system':
      return messages.some(isSystem);
    case 'tokenField':
      return parameters.max_output_tokens !== undefined;
  }
}

/** The chat as a server takes it: without system messages that say nothing, or with all of them as the user's words. */
export function inDialect(
  messages: readonly ChatMessage[],
  { system }: Pick<Dialect, 'system'>,
): ChatMessage[] {
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
