import { z } from 'zod';
import type { SchemaNode } from '../config/json-schema.js';
import type { OracleAction } from '../contracts/bundle.js';
import type { Json } from '../contracts/json.js';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const text = z.string().min(1);
const json = z.json() as z.ZodType<Json>;
const jsonObject = z.record(z.string(), json);

const messageSchema = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

const actionSchema = z
  .strictObject({ tool: text.optional(), arguments: jsonObject.optional(), say: text.optional() })
  .transform(({ tool, arguments: given, say }, { addIssue }): OracleAction => {
    if (tool !== undefined && say === undefined) return { tool, arguments: given ?? {} };
    if (say !== undefined && tool === undefined && given === undefined) return { say };
    addIssue('must be {"tool": "…", "arguments": {…}} or {"say": "…"}');
    return z.NEVER;
  });

/** A row as it is written in `task.jsonl`. */
export const rowSchema = z.strictObject({
  id: z.string().refine((id) => ID.test(id), {
    error: 'must be letters, digits, dots, _ and -, at most 128, a letter or digit first: it names a folder',
  }),
  seed_sql: z.string().default(''),
  end_goal_sql: text.nullish().transform((value) => value ?? null),
  initial_messages: z.array(messageSchema).min(1),
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

/** Names the fields that there are, for messages. */
export const rowJsonSchema: SchemaNode = z.toJSONSchema(rowSchema, {
  io: 'input',
  unrepresentable: 'any',
}) as SchemaNode;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** A point in time as `2026-03-02T09:00:00.000Z`; UTC where no zone is written. `null` for what is none. */
export function readTime(written: string): string | null {
  if (!ISO_8601.test(written)) return null;
  const zoned = /(?:Z|[+-]\d{2}:\d{2})$/.test(written) && written.length > 10;
  const time = Date.parse(written.length === 10 || zoned ? written : `${written.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
