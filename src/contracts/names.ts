/** Names that cross a process boundary. Changing one breaks runs in progress. */

/** Task queue of workflows and of every activity without a rate limit. */
export const DEFAULT_TASK_QUEUE = 'reprise';

export const SIGNALS = {
  /** Child → experiment: its progress and its requests. */
  report: 'report',
  /** Experiment → child: requests to it. */
  control: 'control',
  /** Experiment → child: total number of granted calls. */
  grant: 'grant',
  /** Worker → experiment: what its calls wait for. */
  unreachable: 'unreachable',
} as const;

export const QUERIES = { progress: 'progress' } as const;

/** Updates of an experiment; signals of the same names do the same, without an answer. */
export const UPDATES = {
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  setConcurrency: 'setConcurrency',
} as const;

/** Update that grants starts of requests to a model; sent to the workflow that holds its rate. */
export const STARTS_UPDATE = 'starts';

/** Maximum concurrency of an experiment of any kind. */
export const MAX_CONCURRENCY = 10_000;

/** Search attributes, all of type Keyword. */
export const SEARCH_ATTRIBUTES = {
  experiment: 'RepriseExperiment',
  kind: 'RepriseKind',
  model: 'RepriseModel',
  phase: 'ReprisePhase',
} as const;

/** Failure types that a caller can distinguish. */
export const FAILURE_TYPES = {
  /** The user's input is wrong; exit code 2. */
  invalidInput: 'InvalidInput',
  /** Every further call would fail as well: a wrong key, a model that does not exist. */
  fatalProvider: 'FatalProvider',
  /** The artifact store refuses permanently: no permission, no such bucket. */
  fatalStorage: 'FatalStorage',
  /** A limit of the experiment was reached in the middle of a step, of which nothing is kept; details: its cost. */
  limitReached: 'LimitReached',
  /** A program had no result for an outside reason, and is given up without a score; details: its cost. */
  unscored: 'Unscored',
  /** The agent's reply was empty; details: its cost. */
  emptyReply: 'EmptyReply',
  /** A token limit cut off a reply that is not judged in this case (`lm.on_cut_off: error`); details: its cost. */
  cutOff: 'CutOff',
  /** Several workers died during the activity; details: the possible cost of its requests, if it sent any. */
  workerCrash: 'WorkerCrash',
  /** An unexpected error, most likely of Reprise; given up after a few attempts. */
  unforeseen: 'Unforeseen',
  /** The run ended as failed after its artifacts were written. */
  runFailed: 'RunFailed',
} as const;
