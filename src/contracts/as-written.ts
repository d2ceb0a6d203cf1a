import type { Json } from './json.js';

/**
 * Value whose text differs from JavaScript's notation: `007`, `1.10`, `True`, `1e400`, or NaN. Questions, targets, ids
 * and choices are texts and use {@link text}; calculations use {@link value}.
 */
export class AsWritten {
  constructor(
    readonly text: string,
    /** Meaning of the text; the text itself if no number represents it; null for NaN and the infinities. */
    readonly value: Json,
    /** Position in its file, for messages. */
    readonly place?: string,
  ) {}

  /** Returns the meaning, for a row as JSON. */
  toJSON(): Json {
    return this.value;
  }
}
