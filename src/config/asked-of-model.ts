import type { LanguageModelConfig } from './language-model-schema.js';

/** A model's section without what only paces and bounds its calls: what is left decides the replies. */
export function askedOfModel(lm: LanguageModelConfig): object {
  const {
    requests_per_second: _rate,
    max_attempts: _attempts,
    timeout_sec: _timeout,
    max_reply_mb: _size,
    ...asked
  } = lm;
  return asked;
}
