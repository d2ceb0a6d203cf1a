import type { LanguageModelConfig } from './language-model-schema.js';

/** Returns a model's full name, such as `gemini/gemini-2.5-flash`. */
export function modelNameOf({ provider, model }: Pick<LanguageModelConfig, 'provider' | 'model'>): string {
  return `${provider}/${model}`;
}
