/** What counts against the limits of a run, in whole units, so that sums of it are exact. */
export interface Amounts {
  lm_calls: number;
  /** Input and output together. */
  tokens: number;
  /** Billionths of a US dollar, rounded up. */
  nanodollars: number;
}

/** As {@link Amounts}; null where there is no limit. Calls are counted in any case. */
export interface Allotment {
  lm_calls: number;
  tokens: number | null;
  nanodollars: number | null;
}
