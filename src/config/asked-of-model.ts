import type { LanguageModelConfig } from './language-model-schema.js';

/** A model's section without what only paces its calls: what is left decides the replies. */
export function askedOfModel(lm: LanguageModelConfig): object {
  const { requests_per_second: _rate, max_attempts: _attempts, timeout_sec: _timeout, ...asked } = lm;
  return asked;
}
