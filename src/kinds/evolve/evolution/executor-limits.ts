/** What one execution of a scaffold may ask of its model. */
export interface ExecutorLimits {
  max_lm_calls: number;
  /** Input and output tokens together; null for no limit. */
  max_tokens: number | null;
}
