import { z } from 'zod';
import { languageModelSchema } from '../../config/language-model-schema.js';
import { grainSchema, limitsSchema } from '../../config/shared-schemas.js';
import { LOG_LEVELS } from '../../contracts/logger.js';
import { MAX_CONCURRENCY } from '../../contracts/names.js';
import { EPISODE_FIELD, ERROR_FIELD } from './judging/fields.js';

const RESERVED: readonly string[] = [ERROR_FIELD, EPISODE_FIELD];

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export const criterionSchema = z.strictObject({
  name: z
    .string()
    .refine((name) => NAME.test(name) && !RESERVED.includes(name), {
      error: `must be letters, digits, _ and -, at most 64, a letter first, and neither '${ERROR_FIELD}' nor '${EPISODE_FIELD}'`,
    })
    .describe('What its score is called in the verdict.'),
  description: z.string().min(1).describe('What is judged, and what the ends of the range mean.'),
  range: z
    .tuple([z.number(), z.number()])
    .refine(([lowest, highest]) => lowest < highest, { error: 'the first number must be the smaller one' })
    .describe('The lowest and the highest score.'),
});

export const rubricSchema = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('Default: the name of the file.'),
  instructions: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Who the judge is and how it is to judge; default: a sentence that says so of any assistant.'),
  criteria: z
    .array(criterionSchema)
    .min(1)
    .max(50)
    .refine((criteria) => new Set(criteria.map(({ name }) => name)).size === criteria.length, {
      error: 'two criteria have the same name',
    }),
  success: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'When the whole episode is a success, asked with its last step; default: all was done that was asked for.',
    ),
  show_reward: z
    .boolean()
    .default(false)
    .describe('Tell the judge the reward of the step and how the episode ended.'),
});

export type Rubric = Omit<z.output<typeof rubricSchema>, 'name'> & { name: string };
export type Criterion = Rubric['criteria'][number];

export const judgeConfigSchema = z.strictObject({
  experiment: z.string().min(1).describe('Folder of the experiment whose trajectories are judged.'),
  rubric: rubricSchema.describe('A file, or a rubric; without one, AGENT_RUBRIC.'),
  lm: languageModelSchema,
  concurrency: z.int().positive().max(MAX_CONCURRENCY).default(8).describe('Steps at once.'),
  grain: grainSchema.describe(
    'call: each verdict is a step of the workflow, seen in the UI. unit: workers judge bundles of steps. auto: unit for many steps.',
  ),
  limits: limitsSchema,
  log_level: z.enum(LOG_LEVELS).default('INFO'),
});

type JudgeInput = z.input<typeof judgeConfigSchema>;

/** Config of a judgement as its author writes it: rubric and model may be named by a file and a name. */
export type WrittenJudgeConfig = Omit<JudgeInput, 'rubric' | 'lm'> & {
  rubric?: string | JudgeInput['rubric'];
  lm: string | JudgeInput['lm'];
};

/** Config of one judgement: the experiment to judge, the model and the rubric. */
export type JudgeConfig = Omit<z.output<typeof judgeConfigSchema>, 'rubric'> & { rubric: Rubric };
