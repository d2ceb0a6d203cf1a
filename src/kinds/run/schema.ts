import { z } from 'zod';
import type { AgentConfig } from '../../config/agent-schemas.js';
import { builtInAgentSchema, customAgentSchema } from '../../config/agent-schemas.js';
import { fewShotSchema, selectSchema } from '../../config/dataset-schemas.js';
import { languageModelSchema } from '../../config/language-model-schema.js';
import { memoryConfigSchema } from '../../config/memory-schemas.js';
import { isEmbeddingModel } from '../../config/providers.js';
import { type SandboxType, sandboxSchema } from '../../config/sandbox-schema.js';
import { budgetSchema, grainSchema, metricsSchema, seedSchema } from '../../config/shared-schemas.js';
import { templateSchema } from '../../config/templates.js';
import { LOG_LEVELS } from '../../contracts/logger.js';
import { MAX_CONCURRENCY } from '../../contracts/names.js';
import { REDUCER, REDUCERS } from './reducers.js';
import { scorersSchema } from './scorers/schema.js';

const positiveInteger = z.int().positive();

/** Schema of how a run proceeds: how much of the dataset, how many trials, and what shares a memory. */
const runtimeSchema = z.strictObject({
  max_envs_to_visit: positiveInteger
    .nullable()
    .default(null)
    .describe('Visit only the first N samples, after dataset.select and a shuffle. Default: all.'),
  max_steps_per_episode: positiveInteger
    .nullable()
    .default(null)
    .describe('Safety cap on the steps of one episode. Default: until the environment says done.'),
  num_trials: positiveInteger.max(1000).default(1).describe('Times each sample is tried.'),
  epochs: positiveInteger
    .max(1000)
    .default(1)
    .describe(
      'Independent repetitions of each sample: each begins with a memory of its own, and sees nothing of the others.',
    ),
  early_stop_on_success: z.boolean().default(false).describe('Continue to the next sample after a success.'),
  carry_memory_across_trials: z
    .boolean()
    .default(true)
    .describe('false: each trial starts from the memory as it was when its sample began.'),
  memory_scope: z
    .enum(['run', 'sample'])
    .describe(
      'run: one memory, samples in order, one at a time. sample: a memory each, in parallel. Default: sample where the config names neither an agent nor a memory, else run.',
    ),
  concurrency: positiveInteger
    .max(MAX_CONCURRENCY)
    .default(10)
    .describe('Lanes at once. A lane is an ordered list of samples that share one memory.'),
  grain: grainSchema.describe(
    'call: each call of a model is a step of the workflow, seen in the UI. unit: workers run bundles of samples. auto: unit for many samples.',
  ),
});

/** Schema of the source of rows, and of how a row becomes a task. */
export const datasetSchema = z
  .strictObject({
    items: z.array(z.record(z.string(), z.unknown())).min(1).optional().describe('Inline rows.'),
    dataset_path: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A .jsonl, .json, .csv, .tsv (each also as .gz), .parquet or .arrow file, or a Hugging Face load_from_disk folder.',
      ),
    hf_name: z.string().min(1).optional().describe('A dataset of the Hugging Face hub, e.g. openai/gsm8k.'),
    config: z.string().min(1).optional().describe('The hub dataset’s configuration.'),
    split: z.string().min(1).optional().describe('The split, e.g. test.'),
    run: z
      .string()
      .min(1)
      .optional()
      .describe('The folder of a run: its tasks, as they were. Nothing is selected, drawn or shuffled.'),
    task_type: z.enum(['exact', 'numeric', 'mcq', 'custom']).default('exact'),
    env_class: z
      .string()
      .min(1)
      .optional()
      .describe('Environment class by name. Needed for task_type custom; overrides task_type otherwise.'),
    env_file: z.string().min(1).optional().describe('A TypeScript file that exports env_class.'),
    env_options: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Options handed to the environment class, e.g. {tolerance: 0.01}.'),
    env_timeout_sec: z
      .number()
      .positive()
      .max(3600)
      .optional()
      .describe(
        'Seconds that loading env_file, and then a reset or a step of its class, may take; 120 unless said otherwise.',
      ),
    input_field: z
      .string()
      .min(1)
      .default('question')
      .describe('A text, or a list of messages. Dotted paths such as metadata.ID work.'),
    image_field: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe(
        'The field with the images of the question, or a list of fields: a path, an address, a data URI, an object with bytes, path or url, or a list of these.',
      ),
    image_dir: z
      .string()
      .min(1)
      .optional()
      .describe('Folder of images with relative paths. Default: that of dataset_path, or of the config.'),
    system: templateSchema({ known: null })
      .min(1)
      .optional()
      .describe('System message of rows that have none of their own: a text with {field} placeholders.'),
    target_field: z
      .string()
      .min(1)
      .default('answer')
      .describe('A list of several right answers works; see target_match.'),
    target_base: z
      .literal([0, 1, 'A', 'none'])
      .optional()
      .describe(
        'Multiple choice: what targets count from. 0 or 1: they are indices. A: letters. none: the texts of choices. Default: by what each one is.',
      ),
    target_match: z
      .enum(['any', 'all'])
      .optional()
      .describe(
        'Of several right answers: any of them is enough, or all are wanted. Default: any; several right choices are refused.',
      ),
    choices_field: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(2)])
      .optional()
      .describe(
        'Multiple choice: the field with the choices, or a list of fields that hold one each. Default: they stand in the question.',
      ),
    choices: z
      .array(z.union([z.string().min(1), z.number(), z.boolean()]))
      .min(2)
      .max(26)
      .optional()
      .describe('Multiple choice: the same choices for every row, such as [yes, no].'),
    shuffle_choices: z
      .boolean()
      .optional()
      .describe(
        'Shuffle the choices of each sample by the seed and its id. Default: where target_field is one of the fields in choices_field, or a place in its list.',
      ),
    id_field: z.string().min(1).optional().describe('Default: the row number.'),
    meta_fields: z.array(z.string().min(1)).default([]),
    prompt_template: templateSchema({ known: null })
      .optional()
      .describe('Formats the row into the question: {field} placeholders, dotted paths allowed.'),
    instruction_template: templateSchema({ known: ['question'], required: ['question'] })
      .optional()
      .describe('Wraps the question: a text with {question} in it.'),
    select: selectSchema.optional(),
    few_shot: fewShotSchema.optional(),
    shuffle: z.boolean().default(false).describe('Shuffle the rows by the seed.'),
  })
  .superRefine((dataset, context) => {
    const sources = (['items', 'dataset_path', 'hf_name', 'run'] as const).filter(
      (key) => dataset[key] !== undefined,
    );
    if (sources.length !== 1) {
      context.addIssue({
        code: 'custom',
        message: `give exactly one of items, dataset_path, hf_name and run (${sources.length === 0 ? 'there is none' : `there are ${sources.join(' and ')}`})`,
      });
    }
    if (dataset.few_shot !== undefined && dataset.image_field !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['few_shot'],
        message: 'examples are texts, and would show no image; leave it out, or image_field',
      });
    }
    const drawn = (['config', 'split', 'select', 'few_shot', 'shuffle'] as const).find((key) => dataset[key]);
    if (dataset.run !== undefined && drawn !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [drawn],
        message: 'is for rows of a dataset; the tasks of another run stay as they were',
      });
    }
    if (dataset.task_type === 'custom' && dataset.env_class === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['env_class'],
        message: 'task_type custom needs an env_class, e.g. EquationBalancerEnv, Game24Env or your own',
      });
    }
    if (dataset.env_file !== undefined && dataset.env_class === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['env_class'],
        message: 'env_file needs env_class, the name of the class that the file exports',
      });
    }
    if (dataset.choices !== undefined && dataset.choices_field !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['choices'],
        message: 'give choices or choices_field, not both',
      });
    }
    if (dataset.target_match === 'all' && dataset.task_type === 'exact' && dataset.env_class === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['target_match'],
        message: 'all is for task_type mcq and numeric; a reply can be exactly one text only',
      });
    }
  });

const outputSchema = z
  .strictObject({
    results_dir: z
      .string()
      .min(1)
      .default('results')
      .describe('A folder, or s3://bucket/prefix. Every run owns one folder below it.'),
    save_memory_path: z.string().min(1).nullable().default(null),
    load_memory_path: z.string().min(1).nullable().default(null),
    log_level: z.enum(LOG_LEVELS).default('INFO'),
  })
  .prefault({});

const runMetricsSchema = metricsSchema
  .extend({
    reducers: z
      .array(z.string().refine((name) => REDUCER.test(name), { message: `must be ${REDUCERS}` }))
      .min(1)
      .max(20)
      .default(['mean'])
      .describe(
        'With several epochs: what a sample’s epochs come to, averaged over samples. mean: their mean. mode: whether the most frequent answer is right. at_least_K: whether K are right. pass_at_K: the chance that one of K is right.',
      ),
  })
  .prefault({});

const stopWhenSchema = z.strictObject({
  interval: z
    .number()
    .positive()
    .lt(0.5)
    .nullable()
    .default(null)
    .describe('Enough is known when the mean, or the difference, is known to ± this.'),
  against: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'The folder of a run with results: enough is known when it is sure which of the two is better on the samples of both.',
    ),
  score: z
    .string()
    .min(1)
    .default('correct')
    .describe('Of the last trial: correct, reward, or a named score, from 0 to 1.'),
});

const limitsSchema = budgetSchema
  .extend({
    stop_when: stopWhenSchema
      .nullable()
      .default(null)
      .describe('Ends the run, with status decided, once enough is known.'),
  })
  .prefault({});

/** Schema of the model that vectors are from, where several places ask for some. */
const embeddingsSchema = z.strictObject({
  model: z
    .string()
    .refine(isEmbeddingModel, 'must be openai/NAME, gemini/NAME or of another provider of vectors')
    .describe('E.g. gemini/gemini-embedding-001.'),
  base_url: z.url().optional().describe('An OpenAI-compatible server.'),
  dimensions: z.int().positive().max(10_000).optional().describe('Of a vector.'),
});

/** Schema of a whole run (with a built-in agent) in one YAML file. */
export const runConfigSchema = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('Default: the name of the file.'),
  runtime: runtimeSchema,
  dataset: datasetSchema,
  lm: languageModelSchema,
  models: z
    .strictObject({
      judge: languageModelSchema
        .nullable()
        .default(null)
        .describe('The model of model_graded scorers without one of their own. Default: lm.'),
      embeddings: embeddingsSchema
        .nullable()
        .default(null)
        .describe('The model of vectors, for a memory or similarity scorers without one of their own.'),
    })
    .prefault({}),
  memory: memoryConfigSchema,
  agent: builtInAgentSchema,
  sandbox: sandboxSchema,
  scorers: scorersSchema.describe(
    'Scorers of every answer beside its environment, by name; a list of types is short for scorers without further fields.',
  ),
  limits: limitsSchema,
  metrics: runMetricsSchema,
  output: outputSchema,
  seed: seedSchema.describe(
    'Seeds the shuffle, the shuffled choices, the rows and examples that are drawn and the simulated model.',
  ),
});

/** Schema of a run with a user's agent, recognised by `agent.file`. */
export const runConfigWithCustomAgentSchema = runConfigSchema.extend({ agent: customAgentSchema });

type BuiltInRunConfig = z.output<typeof runConfigSchema>;

type RunInput = z.input<typeof runConfigSchema>;
type Tagged<Union, Tag extends string, Default = unknown> = Union extends Default
  ? Omit<Union, Tag> & { [Name in Tag & keyof Union]?: Union[Name] }
  : Union;

/** Config of a run as its author writes it; what is left out is filled in. Models may be given by their names. */
export type WrittenRunConfig = Omit<RunInput, 'models' | 'runtime' | 'memory' | 'agent' | 'sandbox'> & {
  models?: {
    judge?: string | z.input<typeof languageModelSchema> | null;
    embeddings?: string | z.input<typeof embeddingsSchema> | null;
  };
  runtime?: Partial<RunInput['runtime']>;
  memory?: Tagged<RunInput['memory'], '_type'>;
  agent?: Tagged<RunInput['agent'], 'type', { type: 'history_agent' }> | z.input<typeof customAgentSchema>;
  sandbox?: RunInput['sandbox'] | SandboxType;
};

/** Config of a run with every default filled in. */
export type RunConfig = Omit<BuiltInRunConfig, 'agent' | 'name'> & { name: string; agent: AgentConfig };
