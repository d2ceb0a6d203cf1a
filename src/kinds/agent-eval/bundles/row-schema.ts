import { z } from 'zod';
import type { SchemaNode } from '../../../config/json-schema.js';
import type { Json } from '../../../contracts/json.js';
import type { ChatMessage, ToolCall } from '../../../contracts/language-model.js';
import type { OracleAction } from './contracts.js';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const text = z.string().min(1);
const json = z.json() as z.ZodType<Json>;
const jsonObject = z.record(z.string(), json);

/** Tool call in an initial message: in the format of OpenAI, or without the `function` around it. */
const calledSchema = z.strictObject({
  name: text,
  arguments: z
    .union([z.string(), jsonObject])
    .transform((given) => (typeof given === 'string' ? given : JSON.stringify(given))),
});
const toolCallSchema = z
  .strictObject({
    id: text,
    type: z.literal('function').optional(),
    function: calledSchema.optional(),
    name: calledSchema.shape.name.optional(),
    arguments: calledSchema.shape.arguments.optional(),
  })
  .transform(({ id, function: called, name, arguments: given = '{}' }, { addIssue }): ToolCall => {
    if (called !== undefined && name === undefined) return { id, ...called };
    if (called === undefined && name !== undefined) return { id, name, arguments: given };
    addIssue('must be {"id": "…", "name": "…", "arguments": {…}}');
    return z.NEVER;
  });

const messageSchema = z
  .strictObject({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string().nullish(),
    tool_calls: z.array(toolCallSchema).min(1).optional(),
    tool_call_id: text.optional(),
  })
  .transform(({ role, content, tool_calls, tool_call_id }, { addIssue }): ChatMessage => {
    if (content == null && tool_calls === undefined) addIssue('content is missing');
    if (role === 'user' && content?.trim() === '') addIssue('content is blank: write what the user says');
    if (tool_calls !== undefined && role !== 'assistant') addIssue(`a ${role} message has no tool_calls`);
    if ((tool_call_id !== undefined) !== (role === 'tool'))
      addIssue(
        role === 'tool'
          ? 'a tool message names its call: tool_call_id'
          : `a ${role} message has no tool_call_id`,
      );
    return {
      role,
      content: content ?? '',
      ...(tool_calls && { tool_calls }),
      ...(tool_call_id && { tool_call_id }),
    };
  });

/** Finds a tool call without a result, or the reverse: providers require results directly after the calls. */
function unansweredCall(messages: readonly ChatMessage[]): { index: number; message: string } | null {
  const open = new Map<string, number>();
  for (const [index, { role, tool_calls = [], tool_call_id = '' }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.delete(tool_call_id))
        return { index, message: `answers no call ${tool_call_id} of the message before it` };
      continue;
    }
    if (open.size > 0) break;
    for (const { id } of tool_calls) {
      if (open.has(id)) return { index, message: `has two calls with the id ${id}` };
      open.set(id, index);
    }
  }
  const [left] = open;
  return left === undefined
    ? null
    : { index: left[1], message: `the call ${left[0]} has no answer: a tool message with that tool_call_id` };
}

/** Gives each call an id of its own: logs of several requests begin with the same one again. */
function withOwnIds(messages: readonly ChatMessage[]): ChatMessage[] {
  const taken = new Set<string>();
  const ids = new Map<string, string>();
  const ownId = (id: string): string => {
    let own = id;
    for (let number = 2; taken.has(own); number += 1) own = `${id}_${number}`;
    taken.add(own);
    ids.set(id, own);
    return own;
  };
  return messages.map(({ tool_calls, tool_call_id, ...message }) => ({
    ...message,
    ...(tool_calls && { tool_calls: tool_calls.map((call) => ({ ...call, id: ownId(call.id) })) }),
    ...(tool_call_id && { tool_call_id: ids.get(tool_call_id) ?? tool_call_id }),
  }));
}

const actionSchema = z
  .strictObject({ tool: text.optional(), arguments: jsonObject.optional(), say: text.optional() })
  .transform(({ tool, arguments: given, say }, { addIssue }): OracleAction => {
    if (tool !== undefined && say === undefined) return { tool, arguments: given ?? {} };
    if (say !== undefined && tool === undefined && given === undefined) return { say };
    addIssue('must be {"tool": "…", "arguments": {…}} or {"say": "…"}');
    return z.NEVER;
  });

/** Schema of a row in `task.jsonl`. */
export const rowSchema = z.strictObject({
  id: z.string().refine((id) => ID.test(id), {
    error: 'must be letters, digits, dots, _ and -, at most 128, a letter or digit first: it names a folder',
  }),
  seed_sql: z.string().default(''),
  end_goal_sql: text.nullish().transform((value) => value ?? null),
  initial_messages: z
    .array(messageSchema)
    .min(1)
    .check(({ value, issues }) => {
      const fault = unansweredCall(value);
      if (fault !== null)
        issues.push({ code: 'custom', input: value, path: [fault.index], message: fault.message });
    })
    .transform(withOwnIds),
  sim_user_prompt: text.nullish().transform((value) => value ?? null),
  toolset: text,
  n_rollouts: z.int().min(1).max(1000).default(1),
  max_turns: z.int().min(1).max(1000).default(30),
  stop_at_goal: z.boolean().default(false),
  tools_allowed: z
    .array(text)
    .min(1)
    .nullish()
    .transform((value) => value ?? null),
  metadata: jsonObject.default({}),
  oracle: z
    .array(actionSchema)
    .min(1)
    .nullish()
    .transform((value) => value ?? null),
  now: z.string().optional(),
});

export type WrittenRow = z.output<typeof rowSchema>;

/** JSON Schema of a row, from which messages name the fields. */
export const rowJsonSchema: SchemaNode = z.toJSONSchema(rowSchema, {
  io: 'input',
  unrepresentable: 'any',
}) as SchemaNode;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Parses a point in time to `2026-03-02T09:00:00.000Z`, in UTC if no zone is given; null if it is invalid. */
export function readTime(written: string): string | null {
  if (!ISO_8601.test(written)) return null;
  const zoned = /(?:Z|[+-]\d{2}:\d{2})$/.test(written) && written.length > 10;
  const time = Date.parse(written.length === 10 || zoned ? written : `${written.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
