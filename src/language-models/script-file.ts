import { z } from 'zod';
import { quotable } from '../config/named-files.js';
import { asValues, parseYaml, YamlError } from '../config/yaml-text.js';
import { AsWritten } from '../contracts/as-written.js';
import { PURPOSES, type Purpose } from '../contracts/language-model.js';
import { LanguageModelError } from './errors.js';

/** Schema of a text: YAML reads `reply: 1.10` as a number, but the text is meant. */
const text = z
  .union([z.string(), z.number(), z.boolean(), z.instanceof(AsWritten).transform((written) => written.text)])
  .transform(String);
/** Wraps a schema so that unquoted numbers and booleans are no texts. */
const values = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(asValues, schema);
const tokens = values(z.int().min(0));

const replyObject = z.strictObject({
  text: text.default(''),
  /** Thoughts of the model, which it sends in a separate field. */
  reasoning: text.optional(),
  tool_calls: z
    .array(
      z.strictObject({
        id: z.string().min(1).optional(),
        name: z.string().min(1),
        /** JSON text as the model writes it, or an object. */
        arguments: values(z.union([z.string(), z.record(z.string(), z.json())])).default({}),
      }),
    )
    .optional(),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'unknown']).optional(),
  usage: z
    .strictObject({ input_tokens: tokens, output_tokens: tokens, reasoning_tokens: tokens.optional() })
    .optional(),
});
const reply = z.union([text.transform((value) => replyObject.parse({ text: value })), replyObject], {
  error: 'must be a text, or an object with text, reasoning, tool_calls, finish_reason or usage',
});

const ruleSchema = z
  .strictObject({
    purpose: z.enum(PURPOSES).optional(),
    match: text.optional(),
    reply: reply.optional(),
    replies: z.array(reply).min(1, 'must hold at least one reply').optional(),
  })
  .refine((rule) => (rule.reply === undefined) !== (rule.replies === undefined), {
    error: 'needs either reply or replies',
  });

export type ScriptedReply = z.output<typeof replyObject>;

/** Parsed rule of a script. */
export interface ScriptRule {
  /** Number in the file, from 1. */
  number: number;
  purpose: Purpose | undefined;
  pattern: RegExp | undefined;
  /** Replies, at least one. Indexed by trial + ordinal; the last one repeats. */
  replies: ScriptedReply[];
}

function fault(path: string, what: string): LanguageModelError {
  return new LanguageModelError('configuration', `script ${path}: ${what}`, { provider: 'scripted' });
}

/** Compiles a JavaScript pattern; accepts a leading `(?i)`, `(?s)` or `(?m)`, as other languages write flags. */
function compile(source: string): RegExp {
  const [, flags = '', body = source] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(source) ?? [];
  return new RegExp(body, flags);
}

function readRule(path: string, value: unknown, index: number): ScriptRule {
  const where = `rule ${index + 1}`;
  const parsed = ruleSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.length ? `${where}, ${issue.path.join('.')}` : where;
    throw fault(path, `${field}: ${issue?.message ?? 'is no rule'}`);
  }
  const { purpose, match, reply: single, replies } = parsed.data;
  try {
    const pattern = match === undefined ? undefined : compile(match);
    return {
      number: index + 1,
      purpose,
      pattern,
      replies: replies ?? (single === undefined ? [] : [single]),
    };
  } catch (error) {
    const why = quotable((error as Error).message, 'it is no regular expression');
    throw fault(path, `${where}, match: ${why}`);
  }
}

/**
 * Reads a script: a YAML list of rules, or a mapping with the list under `rules`.
 * @param path named in errors.
 * @throws LanguageModelError (`configuration`) that names the rule's number and field.
 */
export function parseScript(content: string, path: string): ScriptRule[] {
  let document: unknown;
  try {
    document = parseYaml(content);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const [first = ''] = error.message.split('\n');
    throw fault(path, `is no YAML: ${quotable(first, error.quiet)}`);
  }
  const rules = Array.isArray(document) ? document : (document as { rules?: unknown } | null)?.rules;
  if (!Array.isArray(rules))
    throw fault(path, 'must be a list of rules, or a mapping with a list under rules');
  if (rules.length === 0) throw fault(path, 'has no rules');
  return rules.map((rule, index) => readRule(path, rule, index));
}
