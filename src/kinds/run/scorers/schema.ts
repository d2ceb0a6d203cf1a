import { z } from 'zod';
import { languageModelSchema } from '../../../config/language-model-schema.js';
import { isEmbeddingModel } from '../../../config/providers.js';
import { isMapping } from '../../../contracts/json.js';

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Checks the names of a mapping. */
const named =
  (pattern: RegExp, message: string) =>
  (mapping: Record<string, unknown>, context: z.core.$RefinementCtx): void => {
    for (const name of Object.keys(mapping)) {
      if (!pattern.test(name)) context.addIssue({ code: 'custom', path: [name], message });
    }
  };

/** Fields of every scorer. */
const common = {
  label_field: z
    .string()
    .min(1)
    .optional()
    .describe('Field of dataset.meta_fields with the label of people: the agreement with it is computed.'),
};

const reads = (by: 'answer' | 'reply') =>
  z
    .enum(['answer', 'reply'])
    .default(by)
    .describe('answer: what an explicit marker marks, else the whole reply. reply: the whole reply.');

const ignoreCase = z.boolean().default(true).describe('Upper and lower case are the same.');

function patternFault(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const simple = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type), ...common });

const exactSchema = z.strictObject({
  type: z.literal('exact'),
  ...common,
  normalize: z
    .boolean()
    .default(false)
    .describe('Compare without case, punctuation and English articles, as SQuAD does.'),
});

const includesSchema = z.strictObject({
  type: z.literal('includes'),
  ...common,
  ignore_case: ignoreCase,
  reads: reads('reply'),
});

const regexSchema = z.strictObject({
  type: z.literal('regex'),
  ...common,
  pattern: z
    .string()
    .min(1)
    .superRefine((pattern, context) => {
      const message = patternFault(pattern);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .describe('A regular expression of JavaScript, with the flag u.'),
  group: z
    .int()
    .min(0)
    .max(99)
    .optional()
    .describe('The group of the first match that must be a right answer. Default: a match is enough.'),
  ignore_case: ignoreCase,
  reads: reads('reply'),
});

const numericSchema = z.strictObject({
  type: z.literal('numeric'),
  ...common,
  tolerance: z.number().min(0).lt(1).default(0).describe('Share of the right answer. 0: exact.'),
});

const jsonSchema = z.strictObject({
  type: z.literal('json_schema'),
  ...common,
  schema: z
    .union([z.string().min(1), z.record(z.string(), z.json())])
    .optional()
    .describe('A JSON Schema, or its file. Default: any JSON is valid.'),
  reads: reads('reply'),
});

const similaritySchema = z.strictObject({
  type: z.literal('similarity'),
  ...common,
  model: z
    .string()
    .refine(isEmbeddingModel, 'must be openai/NAME, gemini/NAME or of another provider of vectors')
    .describe('The model of the vectors, e.g. gemini/gemini-embedding-001. Default: models.embeddings.'),
  base_url: z.url().optional().describe('An OpenAI-compatible server.'),
  dimensions: z.int().positive().max(10_000).optional().describe('Of a vector.'),
  reads: reads('answer'),
});

const codeSchema = z.strictObject({
  type: z.literal('code'),
  ...common,
  file: z
    .string()
    .min(1)
    .describe('A TypeScript file that exports score(answer, sample), or a .py with such a function.'),
  options: z
    .record(z.string(), z.json())
    .default({})
    .describe('What the function is given as sample.options.'),
  timeout_sec: z.number().positive().max(3600).default(60).describe('Seconds for one answer.'),
});

/** Ways in which a model says its verdict. */
const VERDICTS = ['letters', 'number', 'json'] as const;

const modelGradedFields = z.strictObject({
  type: z.literal('model_graded'),
  ...common,
  rubric: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'What a good answer is: a text, or a file. Default: that it says the same as the right answer.',
    ),
  template: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'The whole prompt, a text or a file, with {question}, {answer}, {target}, {choices}, {rubric}, {verdict} and fields of dataset.meta_fields.',
    ),
  lm: languageModelSchema
    .optional()
    .describe('The model that judges; as the section lm. Default: models.judge, or else lm.'),
  panel: z
    .array(languageModelSchema)
    .min(2)
    .max(9)
    .optional()
    .describe('Several models that vote, in the place of lm.'),
  votes: z.int().positive().max(25).default(1).describe('Verdicts of each model on an answer.'),
  verdict: z
    .enum(VERDICTS)
    .default('letters')
    .describe('letters: a last GRADE: and a letter. number: a last SCORE:. json: {"reason", "score"}.'),
  letters: z
    .record(z.string(), z.number().min(0).max(1))
    .superRefine(named(/^[A-Z]$/, 'its name must be one letter from A to Z'))
    .refine((letters) => Object.keys(letters).length > 1, { error: 'must have two letters or more' })
    .optional()
    .describe('The score of each letter. Default: C is 1, I is 0.'),
  scale: z
    .tuple([z.number(), z.number()])
    .refine(([lowest, highest]) => lowest < highest, { error: 'the first number must be the smaller one' })
    .optional()
    .describe('The lowest and the highest number; the score is the place between them. Default: [0, 1].'),
  compare_with: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Which of two answers is better, asked in both orders: the answer, or that in this field of dataset.meta_fields. target: the right answer.',
    ),
});

const modelGradedSchema = modelGradedFields.superRefine((scorer, context) => {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const { verdict, compare_with, lm, panel, votes } = scorer;
  if (lm !== undefined && panel !== undefined) refuse('panel', 'give lm or panel, not both');
  if (scorer.scale !== undefined && verdict === 'letters') refuse('scale', 'is for verdict number and json');
  if (scorer.letters !== undefined && verdict !== 'letters') refuse('letters', 'is for verdict letters');
  if (compare_with !== undefined && (verdict !== 'letters' || scorer.letters !== undefined))
    refuse('compare_with', 'has verdicts of its own (A, B or T); leave verdict and letters out');
  for (const [index, judge] of (panel ?? (lm === undefined ? [] : [lm])).entries()) {
    if (judge.cache !== true || votes === 1) continue;
    const field = panel === undefined ? 'lm' : `panel[${index}]`;
    refuse('votes', `with ${field}.cache, all ${votes} verdicts would be the first one; set it to false`);
  }
});

/** Schema of a scorer, by its type. */
const scorerSchema = z.discriminatedUnion('type', [
  simple('environment'),
  exactSchema,
  includesSchema,
  regexSchema,
  numericSchema,
  simple('math'),
  simple('mcq'),
  z.strictObject({ type: z.literal('f1'), ...common, reads: reads('answer') }),
  z.strictObject({ type: z.literal('rouge'), ...common, reads: reads('answer') }),
  z.strictObject({ type: z.literal('bleu'), ...common, reads: reads('answer') }),
  jsonSchema,
  similaritySchema,
  codeSchema,
  modelGradedSchema,
]);

export type ScorerConfig = z.output<typeof scorerSchema>;
export type ScorerType = ScorerConfig['type'];
export type ScorerOf<Type extends ScorerType> = Extract<ScorerConfig, { type: Type }>;

/** Maximum number of scorers of a run; metrics list the figures of each by every group. */
const MAX_SCORERS = 20;

/** Schema of the scorers of a run, by name. */
export const scorersSchema = z
  .record(z.string(), scorerSchema)
  .superRefine(named(NAME, 'its name must be letters, digits, _ and -, at most 64, a letter first'))
  .refine((scorers) => Object.keys(scorers).length <= MAX_SCORERS, {
    error: `must be at most ${MAX_SCORERS}`,
  })
  .default({});

/** Types of scorers that need no further field, so that their name alone is a scorer. */
export const SCORER_TYPES: readonly string[] = scorerSchema.options.map((option) => option.shape.type.value);

/** Expands the short forms of one scorer: nothing for its name as its type, and a model's name in place of `lm`. */
function writtenScorer(name: string, given: unknown): unknown {
  if (given !== null && !isMapping(given)) return given;
  const scorer: Record<string, unknown> = { ...given };
  if (scorer.type == null && SCORER_TYPES.includes(name)) scorer.type = name;
  if (typeof scorer.lm === 'string') scorer.lm = { model: scorer.lm };
  if (Array.isArray(scorer.panel))
    scorer.panel = scorer.panel.map((one) => (typeof one === 'string' ? { model: one } : one));
  return scorer;
}

/** Expands the short forms of scorers: a list of types is a mapping of scorers by these names. */
export function writtenScorers(given: unknown): unknown {
  const entries: [string, unknown][] | null = Array.isArray(given)
    ? given.map((one): [string, unknown] => [String(one), null])
    : isMapping(given)
      ? Object.entries(given)
      : null;
  if (entries === null) return given;
  return Object.fromEntries(entries.map(([name, one]) => [name, writtenScorer(name, one)]));
}
