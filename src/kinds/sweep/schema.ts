import { z } from 'zod';
import { limitsSchema, outputSchema } from '../../config/shared-schemas.js';

/** Maximum number of cells: the history of a sweep holds a child for each. */
export const MAX_CELLS = 200;

export const sweepConfigSchema = z.strictObject({
  name: z.string().min(1).max(60).optional().describe('Default: the name of the file.'),
  config: z
    .record(z.string(), z.unknown())
    .describe('The config that all cells have in common, of any kind: a file, or the config itself.'),
  folder: z
    .string()
    .min(1)
    .describe('Folder that the paths of the config are relative to. Default: that of its file.'),
  command: z
    .string()
    .min(1)
    .optional()
    .describe('The command that would start the config, such as run. Default: by its sections.'),
  grid: z
    .record(z.string().min(1), z.array(z.json()).min(1).max(MAX_CELLS))
    .default({})
    .describe('Values by field, such as {lm.temperature: [0, 0.7]}: each combination is a cell.'),
  repeats: z
    .int()
    .positive()
    .max(MAX_CELLS)
    .default(1)
    .describe('Cells of each combination. The second one has the seed of the first one plus 1, and so on.'),
  share_calls: z
    .boolean()
    .default(true)
    .describe(
      'Pay once for a call that several cells of a repeat and seed make, with the same request in the same place.',
    ),
  concurrency: z.int().positive().max(MAX_CELLS).default(4).describe('Cells at once.'),
  limits: limitsSchema.describe('Of all cells together. Default: those of the config.'),
  output: outputSchema,
});

type SweepInput = z.input<typeof sweepConfigSchema>;

/** Config of a sweep as its author writes it: the config of the cells may be named by its file. */
export type WrittenSweepConfig = Omit<SweepInput, 'config' | 'folder'> & {
  config: string | SweepInput['config'];
  folder?: string;
};

/** Config of a sweep, with the command of its cells. */
export type SweepConfig = Omit<z.output<typeof sweepConfigSchema>, 'name' | 'command'> & {
  name: string;
  command: string;
};
