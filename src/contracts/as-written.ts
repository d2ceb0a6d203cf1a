import type { Json } from './json.js';

/**
 * A value that is written as JavaScript would not write it: `007`, `1.10`, `True`, `1e400`, or NaN. A question, a target, an
 * id and a choice are texts and take {@link text}; what calculates takes {@link value}.
 */
export class AsWritten {
  constructor(
    readonly text: string,
    /** What the text means; the text itself where no number is near it; null for NaN and the infinities. */
    readonly value: Json,
    /** Where it stands in its file, for messages. */
    readonly place?: string,
  ) {}

  /** So that a row as JSON is what it means. */
  toJSON(): Json {
    return this.value;
  }
}
