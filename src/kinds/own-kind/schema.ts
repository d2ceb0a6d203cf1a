import { z } from 'zod';
import { languageModelSchema } from '../../config/language-model-schema.js';
import { grainSchema, limitsSchema, outputSchema, seedSchema } from '../../config/shared-schemas.js';
import { MAX_CONCURRENCY } from '../../contracts/names.js';
import { datasetSchema } from '../run/schema.js';

const positiveInteger = z.int().positive();

export const ownKindConfigSchema = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('Default: the name of the file.'),
  kind: z
    .string()
    .min(1)
    .describe('A TypeScript file whose default export defineExperimentKind of reprise/kind has made.'),
  models: z
    .record(z.string().min(1), languageModelSchema)
    .describe('A model for each of the kind’s roles, such as {writer: …, judge: …}.'),
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('What the kind makes of them; the kind checks them.'),
  dataset: datasetSchema,
  max_samples: positiveInteger.nullable().default(null).describe('Only the first so many. Default: all.'),
  concurrency: positiveInteger.max(MAX_CONCURRENCY).default(8).describe('Samples at once.'),
  grain: grainSchema.describe(
    'call: each call of a model is a step of the workflow, seen in the UI. unit: workers run bundles of samples. auto: unit for many samples.',
  ),
  work_timeout_sec: z
    .number()
    .positive()
    .max(3600)
    .default(120)
    .describe('Seconds that the kind’s own code may take on a sample, calls of models aside.'),
  limits: limitsSchema,
  output: outputSchema,
  seed: seedSchema,
});

type OwnKindInput = z.input<typeof ownKindConfigSchema>;

/** Config of an experiment of a user's own kind as its author writes it: models may be given by their names. */
export type WrittenOwnKindConfig = Omit<OwnKindInput, 'models'> & {
  models: Record<string, string | OwnKindInput['models'][string]>;
};

/** Config of an experiment of a user's own kind. */
export type OwnKindConfig = Omit<z.output<typeof ownKindConfigSchema>, 'name'> & { name: string };
