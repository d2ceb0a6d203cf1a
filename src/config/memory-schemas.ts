import { z } from 'zod';

export const historyListSchema = z.strictObject({
  _type: z.literal('history_list'),
  max_length: z.int().positive().max(1_000_000).default(100).describe('Entries kept; the oldest go first.'),
});

export const memoryConfigSchema = z.discriminatedUnion('_type', [historyListSchema]);

export type MemoryConfig = z.output<typeof memoryConfigSchema>;
export type HistoryListConfig = z.output<typeof historyListSchema>;
