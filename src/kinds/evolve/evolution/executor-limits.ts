/** Limits of one execution of a scaffold on its calls of the model. */
export interface ExecutorLimits {
  max_lm_calls: number;
  /** Input and output tokens together; null for no limit. */
  max_tokens: number | null;
}
