import type { Metrics } from '../../src/kinds/run/results.js';
import type { Usage } from '../measure/process-usage.js';
import type { Contest, Workspace } from '../workspace.js';

/** How one contestant did once. */
export interface Outcome {
  /** Seconds from the run's own start to its own end, as the contestant reports them. */
  own_seconds: number;
  /** Seconds of the whole command. */
  command_seconds: number;
  worker: Usage;
  server: Usage;
  /** CPU seconds of the bench's own programs, such as one that reads the contestant's log. */
  aside_cpu_seconds?: number;
}

export interface Contestant {
  name: 'embedded' | 'two-workers' | 'plain-loop' | 'inspect';
  title: string;
  /** @throws Error where the contestant did not answer every sample right. */
  run(contest: Contest, workspace: Workspace): Promise<Outcome>;
}

/** A figure counts only where the work was done. */
export function assertDone(
  metrics: Pick<Metrics, 'status' | 'correct'>,
  { samples }: Pick<Contest, 'samples'>,
): void {
  if (metrics.status !== 'done' || metrics.correct !== samples) {
    throw new Error(`the run ended ${metrics.status} with ${metrics.correct} of ${samples} right`);
  }
}
