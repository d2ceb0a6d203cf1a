import { z } from 'zod';
import { LOG_LEVELS } from '../contracts/logger.js';

const positiveInteger = z.int().positive();

/** Budget of an experiment, for kinds that add to it. */
export const budgetSchema = z.strictObject({
  max_cost_usd: z.number().positive().nullable().default(null).describe('US dollars.'),
  max_lm_calls: positiveInteger.nullable().default(null),
  max_tokens: positiveInteger.nullable().default(null).describe('Input and output tokens together.'),
  max_wall_seconds: z.number().positive().nullable().default(null),
});

/** Budget of an experiment. A limit that is reached ends it in order, with status `limit_reached`. */
export const limitsSchema = budgetSchema.prefault({});

/** What is computed from the rows beside the totals; it changes no call. */
export const metricsSchema = z.strictObject({
  by: z
    .array(z.string().min(1))
    .max(8)
    .default([])
    .describe('Fields of the rows’ metadata by whose values figures are listed as well.'),
  cluster: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'The field of the metadata that rows which hang together have in common, such as a passage: the clusters of standard errors and intervals. Default: each row is one.',
    ),
});

export const outputSchema = z
  .strictObject({
    results_dir: z.string().min(1).default('results'),
    log_level: z.enum(LOG_LEVELS).default('INFO'),
  })
  .prefault({});

/** Whether each call is a step of a workflow, or workers run whole units; each kind describes it. */
export const grainSchema = z.enum(['auto', 'call', 'unit']).default('auto');

/** Seed of an experiment's random numbers. */
export const seedSchema = z
  .int()
  .min(0)
  .max(2 ** 32 - 1)
  .default(0);
