import { readFile } from 'node:fs/promises';
import type { Json } from '../contracts/json.js';
import type {
  CallIdentity,
  GenerateReply,
  GenerateRequest,
  LanguageModel,
} from '../contracts/language-model.js';
import { boundedMatch, MatchTimeoutError } from './bounded-match.js';
import { toolCallId } from './chat-messages.js';
import { tidyErrorText } from './error-text.js';
import { LanguageModelError } from './errors.js';
import { guard } from './guard.js';
import { parseScript, type ScriptedReply, type ScriptRule } from './script-file.js';

const PROVIDER = 'scripted';

export interface ScriptedOptions {
  /** Path of the YAML file of rules. */
  script: string;
  /** Milliseconds one call may take. */
  timeoutMs: number;
}

/**
 * Fills `$0` or `$&`, `$1` … and `$<name>` from a match. References to unknown groups stay as they are, so a dollar
 * sign needs no escape; a group that took no part in the match is empty.
 */
function fillGroups(template: string, match: RegExpExecArray): string {
  return template.replace(/\$(?:(&)|(\d{1,2})|<([^>]+)>)/g, (whole, ampersand, digits, name) => {
    if (ampersand !== undefined) return match[0];
    if (name !== undefined) {
      return match.groups !== undefined && name in match.groups ? (match.groups[name] ?? '') : whole;
    }
    if (Number(digits) < match.length) return match[Number(digits)] ?? '';
    // As in JavaScript: without a group 12, $12 is group 1 followed by a 2.
    const [first = '', rest = ''] = digits as string;
    return rest !== '' && Number(first) < match.length ? `${match[Number(first)] ?? ''}${rest}` : whole;
  });
}

function fillJson(value: Json, match: RegExpExecArray): Json {
  if (typeof value === 'string') return fillGroups(value, match);
  if (Array.isArray(value)) return value.map((inner) => fillJson(inner, match));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillJson(inner, match)]));
}

function toReply(scripted: ScriptedReply, match: RegExpExecArray | null, call: CallIdentity): GenerateReply {
  const fill = (template: string) => (match === null ? template : fillGroups(template, match));
  const calls = scripted.tool_calls?.map((asked, index) => ({
    id: asked.id ?? toolCallId(call, index),
    name: asked.name,
    arguments:
      typeof asked.arguments === 'string'
        ? fill(asked.arguments)
        : JSON.stringify(match === null ? asked.arguments : fillJson(asked.arguments, match)),
  }));
  const asksForTools = calls !== undefined && calls.length > 0;
  return {
    text: fill(scripted.text),
    ...(scripted.reasoning === undefined ? {} : { reasoning: fill(scripted.reasoning) }),
    ...(asksForTools && { tool_calls: calls }),
    ...(scripted.usage && { usage: scripted.usage }),
    finish_reason: scripted.finish_reason ?? (asksForTools ? 'tool_calls' : 'stop'),
    cost_usd: 0,
  };
}

/** Answers a call by the first rule with the call's purpose whose pattern matches the last user message. */
export function answerFromRules(
  rules: readonly ScriptRule[],
  path: string,
  request: GenerateRequest,
): GenerateReply {
  const { call, messages } = request;
  const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  for (const rule of rules) {
    if (rule.purpose !== undefined && rule.purpose !== call.purpose) continue;
    let match: RegExpExecArray | null = null;
    if (rule.pattern !== undefined) {
      try {
        match = boundedMatch(rule.pattern, question);
      } catch (error) {
        if (!(error instanceof MatchTimeoutError)) throw error;
        throw new LanguageModelError(
          'configuration',
          `script ${path}: rule ${rule.number}, match: ${error.message} on sample ${call.sample_id}`,
          { provider: PROVIDER },
        );
      }
      if (match === null) continue;
    }
    const index = Math.min(call.trial + call.ordinal, rule.replies.length - 1);
    return toReply(rule.replies[index] as ScriptedReply, match, call);
  }
  throw new LanguageModelError(
    'no_such_rule',
    `script ${path} has no rule for purpose '${call.purpose}' of sample ${call.sample_id} (trial ${call.trial}, ` +
      `call ${call.ordinal}), whose last user message is: ${JSON.stringify(tidyErrorText(question))}`,
    { provider: PROVIDER },
  );
}

/**
 * Creates a model that answers from a file of rules, for tests and demonstrations. Costs nothing.
 * @throws LanguageModelError (`configuration`) if the file is missing or invalid.
 */
export async function scriptedLanguageModel({ script, timeoutMs }: ScriptedOptions): Promise<LanguageModel> {
  const content = await readFile(script, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new LanguageModelError('configuration', `script ${script}: cannot be read (${error.code})`, {
      provider: PROVIDER,
    });
  });
  const rules = parseScript(content, script);
  return guard({ provider: PROVIDER, timeoutMs }, async (request) => answerFromRules(rules, script, request));
}
