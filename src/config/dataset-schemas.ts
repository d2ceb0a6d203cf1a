import { z } from 'zod';
import { rangeOf } from '../datasets/selection.js';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Schema of `dataset.select`: the rows of a dataset that become samples. */
export const selectSchema = z
  .strictObject({
    ids: z
      .array(z.union([z.string().min(1), z.number()]).transform(String))
      .min(1)
      .optional()
      .describe('Ids of samples.'),
    range: z
      .string()
      .refine((text) => rangeOf(text) !== null, {
        message: 'must be rows such as 11-20 or 101-, counted from 1, the last one included',
      })
      .optional()
      .describe(
        'Rows such as 11-20 or 101-, counted from 1 in the order of the file, the last one included.',
      ),
    where: z
      .record(z.string().min(1), z.union([scalar, z.array(scalar).min(1)]))
      .optional()
      .describe('Fields of a row and their values, such as {level: 5, subject: [algebra, geometry]}.'),
    random: z
      .int()
      .positive()
      .optional()
      .describe('So many of them, drawn by the seed, in the order of the file.'),
  })
  .describe('Which rows become samples, before a shuffle: those that meet all that is given.');
