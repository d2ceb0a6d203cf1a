import { z } from 'zod';

/** Fields every agent has. `file` and `class_name` bring a user's own agent. */
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

export const memoryAgentSchema = z.strictObject({ type: z.literal('memory_agent'), ...commonFields });

export const historyAgentSchema = z.strictObject({ type: z.literal('history_agent'), ...commonFields });

export const reflectionSchema = z
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

export const reflexionAgentSchema = z.strictObject({
  type: z.literal('reflexion_agent'),
  ...commonFields,
  reflection_config: reflectionSchema,
});

/** A user's agent: its class is bundled by the worker; its own fields are passed on as they are. */
export const customAgentSchema = z.looseObject({
  type: z.string().min(1),
  file: z.string().min(1).describe('A TypeScript file that exports the agent class.'),
  class_name: z.string().min(1).optional().describe('The exported class. Default: the default export.'),
  ...commonFields,
});

export const builtInAgentSchema = z.discriminatedUnion('type', [
  memoryAgentSchema,
  historyAgentSchema,
  reflexionAgentSchema,
]);

/** Names of the built-in agents; `agents/registry.ts` maps the same names to their classes. */
export const BUILT_IN_AGENTS = ['memory_agent', 'history_agent', 'reflexion_agent'] as const;

export type MemoryAgentConfig = z.output<typeof memoryAgentSchema>;
export type HistoryAgentConfig = z.output<typeof historyAgentSchema>;
export type ReflexionAgentConfig = z.output<typeof reflexionAgentSchema>;
export type ReflectionConfig = z.output<typeof reflectionSchema>;
export type CustomAgentConfig = z.output<typeof customAgentSchema>;
export type AgentConfig = MemoryAgentConfig | HistoryAgentConfig | ReflexionAgentConfig | CustomAgentConfig;
