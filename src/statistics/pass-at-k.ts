function checkCounts(trials: number, successes: number, k: number): void {
  const counts = Number.isInteger(trials) && Number.isInteger(successes) && Number.isInteger(k);
  if (!counts || successes < 0 || successes > trials || k < 1 || k > trials) {
    throw new RangeError(`no estimate for k = ${k} from ${successes} successes in ${trials} trials`);
  }
}

/** Computes C(left, k) / C(of, k) as a product, which never overflows; 0 where `left` is smaller than k. */
function ratioOfChoices(left: number, of: number, k: number): number {
  let ratio = 1;
  for (let drawn = 0; drawn < k; drawn += 1) ratio *= Math.max(left - drawn, 0) / (of - drawn);
  return ratio;
}

/**
 * Computes pass@k: the chance that at least one of k trials succeeds, 1 − C(n − c, k) / C(n, k), unbiased from c
 * successes in n ≥ k trials (Chen et al. 2021, arXiv 2107.03374). Throws RangeError for any other counts.
 */
export function passAtK(trials: number, successes: number, k: number): number {
  checkCounts(trials, successes, k);
  return 1 - ratioOfChoices(trials - successes, trials, k);
}

/**
 * Computes pass^k: the chance that all of k trials succeed, C(c, k) / C(n, k), unbiased from c successes in n ≥ k
 * trials (Yao et al. 2024, τ-bench, arXiv 2406.12045). Throws RangeError for any other counts.
 */
export function passHatK(trials: number, successes: number, k: number): number {
  checkCounts(trials, successes, k);
  return ratioOfChoices(successes, trials, k);
}

/** Numbers of judged trials and successes of one task. */
export interface TaskOutcome {
  trials: number;
  successes: number;
}

/** Both estimates for one k, as means over tasks. */
export interface PassEstimate {
  k: number;
  pass_at_k: number;
  pass_hat_k: number;
  /** Tasks with at least k judged trials; the estimators are not defined for the others, which are left out. */
  tasks: number;
}

/** Computes the estimates for every k up to the largest number of trials; all tasks weigh the same. */
export function passEstimates(outcomes: readonly TaskOutcome[]): PassEstimate[] {
  const largest = outcomes.reduce((most, { trials }) => Math.max(most, trials), 0);
  return Array.from({ length: largest }, (_, index) => {
    const k = index + 1;
    const enough = outcomes.filter(({ trials }) => trials >= k);
    const mean = (estimate: typeof passAtK) =>
      enough.reduce((sum, { trials, successes }) => sum + estimate(trials, successes, k), 0) / enough.length;
    return { k, pass_at_k: mean(passAtK), pass_hat_k: mean(passHatK), tasks: enough.length };
  });
}

/** Names for trials and tasks in a kind of experiment. */
export interface TrialWords {
  trial: string;
  task: string;
}

/** Explains the weights of the figures, for every place that shows them. */
export function weightsText({ trial, task }: TrialWords): string {
  return `The mean reward counts each ${trial} alike; pass@k and pass^k count each ${task} alike, of those with at least k judged ${trial}s.`;
}

/**
 * Returns a warning about the estimates where tasks have different numbers of judged trials; null where they do not.
 * @param counts judged trials of each task, of those with at least one
 */
export function passWarning(counts: readonly number[], { trial, task }: TrialWords): string | null {
  const [fewest, most] = counts.reduce(
    ([least, largest], count) => [Math.min(least, count), Math.max(largest, count)],
    [Number.POSITIVE_INFINITY, 0],
  );
  if (fewest >= most) return null;
  return `the ${task}s have ${fewest} to ${most} judged ${trial}s: figures of k above ${fewest} are of fewer ${task}s, so pass^k may rise with k, and pass@k fall`;
}
