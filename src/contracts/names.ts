/** Every name that crosses a process border, in one place. Changing one breaks runs in flight. */

/** The task queue of workflows and of every activity without a rate limit. */
export const DEFAULT_TASK_QUEUE = 'reprise';

export const SIGNALS = {
  /** Child → experiment: how far it is, and what it wants. */
  report: 'report',
  /** Experiment → child: what is asked of it. */
  control: 'control',
  /** Experiment → child: calls that it was granted in all. */
  grant: 'grant',
  /** worker → experiment: what its calls wait for. */
  away: 'away',
} as const;

export const QUERIES = { progress: 'progress' } as const;

export const UPDATES = {
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  setConcurrency: 'setConcurrency',
  /** Leases starts of requests to a model; to the workflow that holds its rate. */
  starts: 'starts',
} as const;

/** The most of anything that an experiment of any kind may work on at once. */
export const MAX_CONCURRENCY = 10_000;

/** Search attributes, all of type Keyword. */
export const SEARCH_ATTRIBUTES = {
  experiment: 'RepriseExperiment',
  kind: 'RepriseKind',
  model: 'RepriseModel',
  phase: 'ReprisePhase',
} as const;

/** Failure types that a caller can tell apart. */
export const FAILURE_TYPES = {
  /** The user's input is wrong; exit code 2. */
  invalidInput: 'InvalidInput',
  /** Every further call would fail as well: a wrong key, a model that does not exist. */
  fatalProvider: 'FatalProvider',
  /** The artifact store refuses for good: no permission, no such bucket. */
  fatalStorage: 'FatalStorage',
  /** A limit of the experiment was reached in the middle of a step, of which nothing is kept; details: its cost. */
  limitReached: 'LimitReached',
  /** A program came to no result for a reason that is not its own, and is given up without a score; details: its cost. */
  unscored: 'Unscored',
  /** The agent said nothing; details: what that cost. */
  emptyReply: 'EmptyReply',
  /** A token limit cut off a reply that is not to be judged then (`lm.on_cut_off: error`); details: what that cost. */
  cutOff: 'CutOff',
  /** Worker after worker died while it worked on it; details: what its requests may have cost, where it sent any. */
  workerCrash: 'WorkerCrash',
  /** A fault that nobody foresaw, most likely of Reprise; given up after a few attempts. */
  unforeseen: 'Unforeseen',
  /** The run ended as failed after its artifacts were written. */
  runFailed: 'RunFailed',
} as const;

/** The task queue of runs with a user's agent: only workers that bundle the same code may replay them. */
export function agentQueue(taskQueue: string, codeHash: string | null): string {
  return codeHash === null ? taskQueue : `${taskQueue}.agent.${codeHash}`;
}

/** The code that a queue's name was made with; null where that is nobody's. */
export function agentCodeOf(taskQueue: string): string | null {
  return /\.agent\.(\w+)$/.exec(taskQueue)?.[1] ?? null;
}
