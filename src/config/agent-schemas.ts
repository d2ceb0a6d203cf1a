import { z } from 'zod';

/** Fields of every agent. `file` and `class_name` add a user's own agent. */
const commonFields = {
  system_prompt: z.string().nullable().default(null).describe('Replaces the agent’s own system prompt.'),
  history_k: z.int().min(0).max(10_000).default(10).describe('How many memory entries the prompt shows.'),
  feedback: z
    .enum(['full', 'outcome'])
    .optional()
    .describe(
      'What of the feedback is remembered. full: with the gold target. outcome: without it, so that a retry never reads the answer. Default: full with one trial, outcome with several.',
    ),
};

const memoryAgentSchema = z.strictObject({ type: z.literal('memory_agent'), ...commonFields });

const historyAgentSchema = z.strictObject({ type: z.literal('history_agent'), ...commonFields });

const reflectionSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    mode: z.enum(['episode_end', 'per_step', 'both']).default('episode_end'),
    system_prompt: z.string().nullable().default(null),
    max_tokens: z.int().positive().nullable().default(null).describe('Output tokens of one reflection.'),
    strategy: z
      .enum(['none', 'last_attempt', 'reflexion', 'last_attempt_and_reflexion'])
      .default('reflexion')
      .describe('What a retry sees of the trials before it.'),
    max_reflections: z.int().positive().default(3).describe('The newest N reflections are shown.'),
    reflect_on_success: z.boolean().default(false).describe('Reflect after a success as well.'),
  })
  .prefault({});

const reflexionAgentSchema = z.strictObject({
  type: z.literal('reflexion_agent'),
  ...commonFields,
  reflection_config: reflectionSchema,
});

const CHEATSHEET_MODES = [
  'cumulative',
  'retrieval_synthesis',
  'dynamic_retrieval',
  'full_history',
  'empty_sheet',
] as const;

const dynamicCheatsheetAgentSchema = z.strictObject({
  type: z.literal('dynamic_cheatsheet_agent'),
  ...commonFields,
  history_k: commonFields.history_k.default(0).describe('Newest experiences the prompt shows, in any mode.'),
  mode: z
    .enum(CHEATSHEET_MODES)
    .default('cumulative')
    .describe(
      'cumulative: the sheet is rewritten after each answer. retrieval_synthesis: before each answer, from similar experiences. dynamic_retrieval: similar experiences, no sheet. full_history: every experience, no sheet. empty_sheet: the ablation.',
    ),
  use_retrieval: z
    .boolean()
    .optional()
    .describe('Show similar experiences in the prompt. Default: true where the mode lives from them.'),
  retrieve_top_k: z.int().positive().max(1000).default(3).describe('How many similar experiences.'),
  use_code_execution: z
    .boolean()
    .default(false)
    .describe('Run the Python code that the model asks for, in the sandbox.'),
  code_timeout_sec: z.number().positive().max(3600).default(3).describe('Seconds one program may take.'),
  max_code_rounds: z
    .int()
    .positive()
    .max(100)
    .default(3)
    .describe('Programs per action; after the last one the model must answer.'),
  curator_sees_feedback: z
    .boolean()
    .default(false)
    .describe('Show the curator how the answer was judged, as agent.feedback says. The report says so.'),
  curator_max_tokens: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Output tokens of a sheet. Default: twice lm.max_output_tokens.'),
  generator_template: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'A file, or the text itself, with {question}, and {cheatsheet}, {examples} and {code} where the mode has them.',
    ),
  cheatsheet_template: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'The curator’s: a file, or the text itself, with {cheatsheet}, {question}, {answer} or {examples}, {feedback}, {max_chars}.',
    ),
});

/** Default of `agent.turn_timeout_sec`. */
export const TURN_TIMEOUT_SEC = 60;

/** Schema of a user's agent: its class runs in a thread, and its own fields are passed to it unchanged. */
export const customAgentSchema = z.looseObject({
  type: z.string().min(1),
  file: z.string().min(1).describe('A TypeScript file that exports the agent class.'),
  class_name: z.string().min(1).optional().describe('The exported class. Default: the default export.'),
  turn_timeout_sec: z
    .number()
    .positive()
    .max(3600)
    .optional()
    .describe(
      `Seconds that one of its methods may take beside its calls of models and programs. Default: ${TURN_TIMEOUT_SEC}.`,
    ),
  ...commonFields,
});

export const builtInAgentSchema = z.discriminatedUnion('type', [
  memoryAgentSchema,
  historyAgentSchema,
  reflexionAgentSchema,
  dynamicCheatsheetAgentSchema,
]);

/** Names of the built-in agents; `agents/registry.ts` maps them to their classes. */
export const BUILT_IN_AGENTS = [
  'memory_agent',
  'history_agent',
  'reflexion_agent',
  'dynamic_cheatsheet_agent',
] as const;

export type MemoryAgentConfig = z.output<typeof memoryAgentSchema>;
export type HistoryAgentConfig = z.output<typeof historyAgentSchema>;
export type ReflexionAgentConfig = z.output<typeof reflexionAgentSchema>;
export type ReflectionConfig = z.output<typeof reflectionSchema>;
export type DynamicCheatsheetAgentConfig = z.output<typeof dynamicCheatsheetAgentSchema>;
type CustomAgentConfig = z.output<typeof customAgentSchema>;
export type AgentConfig =
  | MemoryAgentConfig
  | HistoryAgentConfig
  | ReflexionAgentConfig
  | DynamicCheatsheetAgentConfig
  | CustomAgentConfig;
