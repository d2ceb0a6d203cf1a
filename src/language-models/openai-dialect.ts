import type { Notice } from './chat-messages.js';
import { readProblem } from './error-text.js';

/** How one server wants the parameters on which OpenAI-compatible servers differ. */
export interface Dialect {
  tokenField: 'max_tokens' | 'max_completion_tokens';
  sendTemperature: boolean;
  sendEffort: boolean;
}

/** Reasoning models of OpenAI: they take no temperature but the default. `gpt-5-chat` is not one of them. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))/;

/** The first guess. api.openai.com has renamed `max_tokens`; most other servers know only the old name. */
export function initialDialect(model: string, baseUrl: string): Dialect {
  const official = new URL(baseUrl).hostname.endsWith('api.openai.com');
  return {
    tokenField: official ? 'max_completion_tokens' : 'max_tokens',
    sendTemperature: !(official && REASONING_MODEL.test(model)),
    sendEffort: true,
  };
}

const UNSUPPORTED =
  /unsupported|not supported|does not support|unrecognized|unknown|unexpected|not permitted|extra/i;

/**
 * The dialect to try after a server refused a parameter with status 400, or undefined where the refusal is about
 * something else. Such a refusal costs nothing, and a server is only asked once: the model names of vendors and
 * gateways change faster than any table here could.
 * @param tried dialects that were refused already, so that two refusals cannot chase each other.
 */
export function adaptDialect(
  dialect: Dialect,
  error: unknown,
  tried: readonly Dialect[],
  notice: Notice,
): Dialect | undefined {
  const { status, error: body, param } = error as { status?: unknown; error?: unknown; param?: unknown };
  if (status !== 400 && status !== 422) return undefined;
  const message = readProblem(body)?.message ?? (error as Error).message;
  if (!UNSUPPORTED.test(message)) return undefined;
  const concerns = (name: string) =>
    param === name || new RegExp(`['"\`]?\\b${name}\\b['"\`]?`).test(message);

  const next = { ...dialect };
  if (concerns('temperature') && dialect.sendTemperature) {
    next.sendTemperature = false;
    notice('the model takes no temperature; it is left out');
  } else if (concerns('reasoning_effort') && dialect.sendEffort && !/\btools?\b/i.test(message)) {
    next.sendEffort = false;
    notice('the server takes no reasoning effort; lm.thinking_budget has no effect');
  } else if (concerns(dialect.tokenField)) {
    next.tokenField = dialect.tokenField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  } else {
    return undefined;
  }
  const known = JSON.stringify(next);
  return tried.some((earlier) => JSON.stringify(earlier) === known) ? undefined : next;
}
