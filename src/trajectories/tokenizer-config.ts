import { z } from 'zod';
import { InvalidTrajectoryError } from './read.js';

/** Chat template and special tokens of a model's `tokenizer_config.json`. */
export interface TokenizerChatTemplate {
  /** Jinja source. Newer models have it in their own file, `chat_template.jinja`. */
  source: string;
  /** Special tokens such as `bos_token` and `eos_token`, where the model has them. */
  specialTokens: Record<string, string>;
}

const SPECIAL_TOKENS = [
  'bos_token',
  'eos_token',
  'unk_token',
  'pad_token',
  'sep_token',
  'cls_token',
  'mask_token',
];

const tokenSchema = z.union([
  z.string(),
  z.object({ content: z.string() }).transform(({ content }) => content),
]);
const configSchema = z.looseObject({
  chat_template: z
    .union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))])
    .nullish(),
});

/**
 * Reads the chat template and special tokens of a parsed `tokenizer_config.json`. `name` chooses among several
 * templates, such as `tool_use`; `source` overrides the template of the file. Throws `InvalidTrajectoryError`.
 */
export function readTokenizerConfig(
  value: unknown,
  { name = 'default', source }: { name?: string; source?: string } = {},
): TokenizerChatTemplate {
  const config = configSchema.safeParse(value);
  if (!config.success)
    throw new InvalidTrajectoryError('tokenizer config: chat_template is neither text nor a list');
  const { chat_template: templates } = config.data;
  const found =
    source ??
    (typeof templates === 'string' ? templates : templates?.find((one) => one.name === name)?.template);
  if (found === undefined)
    throw new InvalidTrajectoryError(`tokenizer config: no chat template named ${name}`);
  const specialTokens: Record<string, string> = {};
  for (const token of SPECIAL_TOKENS) {
    const written = tokenSchema.safeParse(config.data[token]);
    if (written.success) specialTokens[token] = written.data;
  }
  return { source: found, specialTokens };
}
