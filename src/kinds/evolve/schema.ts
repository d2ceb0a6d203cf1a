import { z } from 'zod';
import { languageModelSchemaWith } from '../../config/language-model-schema.js';
import { type SandboxType, sandboxSchema } from '../../config/sandbox-schema.js';
import { limitsSchema, seedSchema } from '../../config/shared-schemas.js';
import { LOG_LEVELS } from '../../contracts/logger.js';
import { MAX_CONCURRENCY } from '../../contracts/names.js';
import { BUILT_IN_DOMAINS } from './contracts.js';

const positiveInteger = z.int().positive();

export const EVOLVE_DOMAINS = [...BUILT_IN_DOMAINS, 'custom'] as const;

/** Maximum iterations: each level of evolution adds to a scaffold's id, and the id is the name of a folder. */
const MAX_ITERATIONS = 80;

const evolutionSchema = z
  .strictObject({
    num_iterations: z.int().min(0).max(MAX_ITERATIONS).default(5).describe('Rounds of evolution.'),
    scaffolds_per_iter: positiveInteger.max(1000).default(3).describe('Scaffolds evolved in each of them.'),
    initial_scaffolds: positiveInteger.max(1000).default(5).describe('Scaffolds to begin with.'),
    num_validation_examples: positiveInteger
      .max(100_000)
      .default(10)
      .describe('Validation examples of an iteration, drawn anew for each.'),
    concurrency: positiveInteger
      .max(MAX_CONCURRENCY)
      .default(4)
      .describe('Executions and model calls at once. The result does not depend on it.'),
    final_validation: z
      .boolean()
      .default(true)
      .describe('Validate the scaffolds of the last iteration as well before the best is chosen.'),
  })
  .prefault({});

const selectionSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('top_k') }),
    z.strictObject({
      type: z.literal('islands'),
      islands: z.int().min(1).max(100).default(4).describe('Populations that evolve apart.'),
      migration_interval: positiveInteger.max(1000).default(3).describe('Iterations between two exchanges.'),
    }),
    z.strictObject({ type: z.literal('pareto') }),
  ])
  .prefault({ type: 'top_k' });

const feedbackSchema = z.strictObject({
  num_examples: positiveInteger
    .max(1000)
    .default(5)
    .describe('Training examples each parent is run on as well.'),
  max_examples: positiveInteger.max(100).default(3).describe('Worst failing ones that the prompt shows.'),
  max_characters: z.int().min(500).max(1_000_000).default(8000).describe('Of the whole section.'),
});

/**
 * Defaults with room for a whole program and for the thoughts before it, which providers count as output. Proposals
 * have to differ, so the temperature is higher than where answers are judged: OpenEvolve's default is 0.7, ShinkaEvolve
 * draws one of 0, 0.5 and 1, and GEPA's documentation has 1 for the model that proposes.
 */
const SCAFFOLDER_DEFAULTS = { max_output_tokens: 16_384, timeout_sec: 600, temperature: 0.7 };
/** Defaults with room for some thoughts before an answer. */
const EXECUTOR_DEFAULTS = { max_output_tokens: 4096, timeout_sec: 120 };

const scaffolderSchema = z
  .strictObject({
    num_examples: z.int().min(0).max(100).default(1).describe('Training examples that a prompt shows.'),
    feedback: feedbackSchema.nullable().default(null).describe('Show the worst failing training examples.'),
    mode: z
      .enum(['single', 'agent'])
      .default('single')
      .describe('A scaffold is written in one reply, or turn by turn by an agent that runs its drafts.'),
    max_turns: z.int().min(2).max(100).default(8).describe('Mode agent: model calls of one try.'),
    draft_examples: positiveInteger
      .max(100)
      .default(3)
      .describe('Mode agent: training examples that each draft is run on.'),
  })
  .prefault({});

const executorSchema = z
  .strictObject({
    max_lm_calls_per_execution: positiveInteger.max(10_000).default(20),
    max_tokens_per_execution: positiveInteger.max(100_000_000).nullable().default(null),
  })
  .prefault({});

export const modelsSchema = z.strictObject({
  scaffolder: languageModelSchemaWith(SCAFFOLDER_DEFAULTS).describe('Who writes scaffolds.'),
  executor: languageModelSchemaWith(EXECUTOR_DEFAULTS)
    .nullable()
    .default(null)
    .describe('The model that scaffolds may call; none: null.'),
});

const evolveDataSchema = z.strictObject({
  train: z.string().min(1).optional().describe('JSON lines of {id, input, …}.'),
  valid: z.string().min(1).optional(),
  test: z.string().min(1).nullable().default(null).describe('The winner is reported on it.'),
  generate: z
    .strictObject({
      train: positiveInteger.max(100_000).default(20),
      valid: positiveInteger.max(100_000).default(50),
      test: z.int().min(0).max(100_000).default(0),
      seed: z.int().min(0).default(0),
    })
    .optional()
    .describe('In place of files: examples from the domain’s own generator.'),
});

const evolveOutputSchema = z
  .strictObject({
    results_dir: z
      .string()
      .min(1)
      .default('experiments')
      .describe('A folder, or s3://bucket/prefix. Every experiment owns one folder below it.'),
    log_level: z.enum(LOG_LEVELS).default('INFO'),
  })
  .prefault({});

/** Config of an evolution experiment: one YAML file. */
export const evolveConfigSchema = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('Default: the name of the file.'),
  task_prompt: z.string().min(1).describe('What a scaffold is to do: a file, or the text itself.'),
  domain: z
    .strictObject({
      name: z.enum(EVOLVE_DOMAINS),
      options: z.record(z.string(), z.json()).default({}),
      file: z.string().min(1).optional().describe('Domain custom: a TypeScript file.'),
    })
    .describe('How outputs are scored.'),
  data: evolveDataSchema,
  models: modelsSchema,
  evolution: evolutionSchema,
  selection: selectionSchema,
  scaffolder: scaffolderSchema,
  executor: executorSchema,
  fork: z
    .strictObject({
      experiment: z.string().min(1).describe('A folder’s name below the results, or its path or address.'),
      at_iteration: z.int().min(0).describe('After which of its iterations, from 0.'),
    })
    .nullable()
    .default(null)
    .describe('Begin with what another experiment has.'),
  timeout_sec: z.number().positive().max(86_400).default(120).describe('Seconds of one execution.'),
  sandbox: sandboxSchema,
  limits: limitsSchema,
  output: evolveOutputSchema,
  seed: seedSchema,
});

type EvolveInput = z.input<typeof evolveConfigSchema>;
type WrittenModel = string | EvolveInput['models']['scaffolder'];
type Whole = Omit<EvolveInput, 'domain' | 'selection' | 'sandbox' | 'models'> & {
  domain: string | EvolveInput['domain'];
  selection?: 'top_k' | 'islands' | 'pareto' | EvolveInput['selection'];
  sandbox?: SandboxType | EvolveInput['sandbox'];
  /** Short for `models.scaffolder`. */
  lm?: WrittenModel;
  models?: { scaffolder?: WrittenModel; executor?: WrittenModel | null };
};

/**
 * Config of an evolution as its author writes it; what is left out is filled in, for a fork from the experiment that it
 * begins with.
 */
export type WrittenEvolveConfig = Whole | (Partial<Whole> & { fork: NonNullable<EvolveInput['fork']> });

export type EvolveConfig = Omit<z.output<typeof evolveConfigSchema>, 'name'> & { name: string };
