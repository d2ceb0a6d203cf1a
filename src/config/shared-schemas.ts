import { z } from 'zod';

const positiveInteger = z.int().positive();

/** Budget of an experiment. A limit that is reached ends it in order, with status `limit_reached`. */
export const limitsSchema = z
  .strictObject({
    max_cost_usd: z.number().positive().nullable().default(null).describe('US dollars.'),
    max_lm_calls: positiveInteger.nullable().default(null),
    max_tokens: positiveInteger.nullable().default(null).describe('Input and output tokens together.'),
    max_wall_seconds: z.number().positive().nullable().default(null),
  })
  .prefault({});
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;

export const outputSchema = z
  .strictObject({
    results_dir: z.string().min(1).default('results'),
    log_level: z.enum(LOG_LEVELS).default('INFO'),
  })
  .prefault({});

/** Seed of an experiment's random numbers. */
export const seedSchema = z
  .int()
  .min(0)
  .max(2 ** 32 - 1)
  .default(0);
