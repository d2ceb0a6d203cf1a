import { z } from 'zod';
import { isEmbeddingModel } from './providers.js';
import { hasVariable, NOTHING_REPLACED } from './variables.js';

const historyListSchema = z.strictObject({
  _type: z.literal('history_list'),
  max_length: z.int().positive().max(1_000_000).default(100).describe('Entries kept; the oldest go first.'),
});

/** Options of retrieving experiences. */
const retrievalSchema = z
  .strictObject({
    backend: z
      .enum(['bm25', 'embedding'])
      .default('bm25')
      .describe('bm25: by words, without a network. embedding: by the vectors of a model.'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe(
        'backend embedding: provider/NAME, e.g. gemini/gemini-embedding-001. Default: models.embeddings.',
      ),
    base_url: z.url().optional().describe('backend embedding: an OpenAI-compatible server.'),
    dimensions: z.int().positive().max(10_000).optional().describe('backend embedding: of a vector.'),
    correct_only: z
      .boolean()
      .default(false)
      .describe(
        'Find only experiences that were judged correct, and none that answers the question that is asked. Makes gold labels part of the method.',
      ),
  })
  .superRefine(({ backend, model, base_url, dimensions }, context) => {
    if (backend === 'embedding') {
      if (model === undefined || !isEmbeddingModel(model)) {
        const message =
          'backend embedding needs a model as openai/NAME or gemini/NAME, here or in models.embeddings';
        context.addIssue({ code: 'custom', path: ['model'], message });
      }
      for (const [name, text] of Object.entries({ model, base_url })) {
        if (text === undefined || !hasVariable(text)) continue;
        context.addIssue({ code: 'custom', path: [name], message: `${text}: ${NOTHING_REPLACED}` });
      }
      return;
    }
    const extra = Object.entries({ model, base_url, dimensions }).find(([, value]) => value !== undefined);
    if (extra === undefined) return;
    context.addIssue({
      code: 'custom',
      path: [extra[0]],
      message: 'belongs to backend embedding, but the backend is bm25',
    });
  })
  .prefault({});

const sheetFields = {
  max_chars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(20_000)
    .describe('Size of a sheet; a longer one is cut at the end of a line, and counted.'),
};

const experienceFields = { retrieval: retrievalSchema };

const cheatsheetSchema = z.strictObject({ _type: z.literal('cheatsheet'), ...sheetFields });

const experienceDbSchema = z.strictObject({ _type: z.literal('experience_db'), ...experienceFields });

const hybridSchema = z.strictObject({
  _type: z.literal('hybrid'),
  ...sheetFields,
  ...experienceFields,
});

/** Schema of a user's own memory. */
const ownMemorySchema = z.strictObject({
  _type: z.literal('own'),
  file: z.string().min(1).describe('A TypeScript file that exports the class of the memory.'),
  class_name: z.string().min(1).optional().describe('The exported class. Default: the default export.'),
  options: z.record(z.string(), z.json()).default({}).describe('What the class is given.'),
});

export const memoryConfigSchema = z.discriminatedUnion('_type', [
  historyListSchema,
  cheatsheetSchema,
  experienceDbSchema,
  hybridSchema,
  ownMemorySchema,
]);

export type OwnMemoryConfig = z.output<typeof ownMemorySchema>;
export type MemoryConfig = z.output<typeof memoryConfigSchema>;
export type HistoryListConfig = z.output<typeof historyListSchema>;
export type CheatsheetConfig = z.output<typeof cheatsheetSchema>;
export type HybridConfig = z.output<typeof hybridSchema>;
export type RetrievalConfig = z.output<typeof retrievalSchema>;
