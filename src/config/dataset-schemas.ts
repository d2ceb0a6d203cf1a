import { z } from 'zod';
import { MAX_EXAMPLES } from '../datasets/few-shot.js';
import { rangeOf } from '../datasets/selection.js';
import { templateSchema } from './templates.js';

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
    not_empty: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('A field, or several, that has to hold something: no null, empty text or empty list.'),
    random: z
      .int()
      .positive()
      .optional()
      .describe('So many of them, drawn by the seed, in the order of the file.'),
  })
  .describe('Which rows become samples, before a shuffle: those that meet all that is given.');

/** Schema of `dataset.few_shot`: examples in prompts. */
export const fewShotSchema = z
  .strictObject({
    count: z
      .int()
      .positive()
      .max(MAX_EXAMPLES)
      .optional()
      .describe('Examples of a prompt, drawn by the seed. Default: all, in their order.'),
    items: z.array(z.record(z.string(), z.unknown())).min(1).optional().describe('Inline rows.'),
    dataset_path: z.string().min(1).optional().describe('A file of rows, as dataset.dataset_path.'),
    split: z.string().min(1).optional().describe('Another split of the dataset, e.g. train.'),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .optional()
      .describe('Of the draw. Default: that of the config.'),
    answer_template: templateSchema({ known: null })
      .min(1)
      .optional()
      .describe('What is shown as the answer: {answer}, the right one, and {field} placeholders.'),
    template: templateSchema({ known: ['question', 'answer'], required: ['question', 'answer'] })
      .optional()
      .describe('Puts examples into the question’s text: {question} and {answer}. Default: turns of a chat.'),
  })
  .superRefine((fewShot, context) => {
    const sources = (['items', 'dataset_path', 'split'] as const).filter((key) => fewShot[key] !== undefined);
    if (sources.length > 1) {
      context.addIssue({ code: 'custom', message: `give one of ${sources.join(' and ')}` });
    }
    if (sources.length === 0 && fewShot.count === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['count'],
        message: 'is missing; say how many of the dataset’s own rows a prompt shows, or where examples are',
      });
    }
  })
  .describe('Examples before the question, with their right answers; never the sample itself.');
