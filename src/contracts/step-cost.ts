import type { Usage } from './language-model.js';

/** What calls of models cost; added to an experiment's totals by whoever asked for them. */
export interface StepCost {
  lm_calls: number;
  usage: Usage;
  /** US dollars; null once a price is not known. */
  cost_usd: number | null;
}
