import { z } from 'zod';
import { languageModelSchema } from '../../config/language-model-schema.js';
import {
  grainSchema,
  limitsSchema,
  metricsSchema,
  outputSchema,
  seedSchema,
} from '../../config/shared-schemas.js';
import { MAX_CONCURRENCY } from '../../contracts/names.js';
import { readTime } from './bundles/row-schema.js';
import { DEFAULT_STOP_TOKEN } from './rollouts/simulated-user.js';

const positiveInteger = z.int().positive();

const time = z.string().transform((written, context): string => {
  const read = readTime(written);
  if (read !== null) return read;
  const message = `${JSON.stringify(written)} is no time; write 2026-03-02 or 2026-03-02T09:00:00Z`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Who plays the user: a person in the terminal, or a model. */
const userModelSchema = z.union([z.literal('human'), languageModelSchema]);

const userSchema = z.strictObject({
  stop_token: z
    .string()
    .min(3)
    .max(100)
    .default(DEFAULT_STOP_TOKEN)
    .describe('What the simulated user says when it is done; taken out of its message.'),
});

export const agentEvalConfigSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Default: the name of the file, or without one that of the first bundle’s folder.'),
  datasets: z
    .array(z.string().min(1))
    .min(1)
    .max(100)
    .describe('Task bundles: folders, or datasets such as flight_task/task.jsonl.'),
  rows: z.array(z.string().min(1)).min(1).nullable().default(null).describe('Ids; default: every row.'),
  max_rows: positiveInteger.nullable().default(null).describe('Only the first so many. Default: all.'),
  rollouts: positiveInteger
    .max(1000)
    .nullable()
    .default(null)
    .describe('Of each row; default: what the row says.'),
  models: z.strictObject({
    agent: languageModelSchema,
    user: userModelSchema
      .nullable()
      .default(null)
      .describe('Who answers in rows with a sim_user_prompt: a model, or human, a person.'),
  }),
  agent: z
    .strictObject({
      system_prompt: z
        .string()
        .min(1)
        .nullable()
        .default(null)
        .describe('Stands before each row’s own messages; a file, or the text itself.'),
      max_tool_calls_per_reply: positiveInteger
        .max(10_000)
        .default(128)
        .describe('Tool calls of one reply that are made; the agent is told that the others were not.'),
    })
    .prefault({}),
  user: userSchema.prefault({}),
  concurrency: positiveInteger.max(MAX_CONCURRENCY).default(8).describe('Rollouts at once.'),
  grain: grainSchema.describe(
    'call: each step of a rollout is one of a workflow, seen in the UI. unit: workers run whole rollouts. auto: unit for many rollouts.',
  ),
  tool_timeout_sec: z.number().positive().max(3600).default(60).describe('Seconds one tool call may take.'),
  success_reward: z
    .number()
    .default(1)
    .describe('A rollout with at least this reward is a success (pass@k).'),
  now: time
    .nullable()
    .default(null)
    .describe('Present time of rows that name none, ISO 8601; default: when the run begins.'),
  limits: limitsSchema,
  metrics: metricsSchema.prefault({}),
  output: outputSchema,
  seed: seedSchema,
});

type AgentEvalInput = z.input<typeof agentEvalConfigSchema>;

type WrittenModel = string | z.input<typeof languageModelSchema>;

/**
 * Config of an evaluation as its author writes it. Models may be given by their names, or be those of `MODEL_AGENT` and
 * `MODEL_SIM`.
 */
export type WrittenAgentEvalConfig = Omit<AgentEvalInput, 'datasets' | 'models'> & {
  /** Short for a list of one. */
  dataset?: string;
  datasets?: string[];
  /** Short for `models.agent`. */
  lm?: WrittenModel;
  models?: { agent?: WrittenModel; user?: WrittenModel | null };
};

/** Config of an evaluation of an agent on task bundles. */
export type AgentEvalConfig = Omit<z.output<typeof agentEvalConfigSchema>, 'name'> & { name: string };
