import type { LanguageModelConfig } from './language-model-schema.js';

/** A model as people name it, such as `gemini/gemini-2.5-flash`. */
export function modelNameOf({ provider, model }: Pick<LanguageModelConfig, 'provider' | 'model'>): string {
  return `${provider}/${model}`;
}
