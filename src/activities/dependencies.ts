import type { Logger } from 'pino';
import type { Permissions } from '../config/named-files.js';
import type { SandboxType } from '../config/sandbox-schema.js';
import type { LanguageModel } from '../contracts/language-model.js';
import type { SymbolicComparer } from '../grading/grade.js';
import type { HearAway } from '../language-models/outage.js';
import type { LeaseStarts } from '../language-models/pace.js';
import type { FunctionSandbox } from '../sandboxes/sandbox.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { CodeRunner } from '../user-code/code-runner.js';
import type { KeptCode } from '../user-code/kept-code.js';
import type { RunLogs } from './run-log.js';

/** Tells experiments what they wait for. */
export interface ExperimentNews {
  /**
   * For the experiment that the activity of this context works for.
   * @param what it waits for: a model's name, for one.
   */
  listener(what: string): HearAway;
}

/** What `workers/` hands to the activities; everything that touches the world is behind one of these. */
export interface WorkerDependencies {
  openStore(uriOrPath: string): ArtifactStore;
  /** What anybody's starts may name; absent: all that there is. */
  permissions?: Permissions;
  /** Keys and addresses; `process.env` in a worker. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Answers in the place of the model that a run names. */
  languageModel?: LanguageModel;
  /** Off the main thread and time-boxed in a worker. */
  compareSymbolically: SymbolicComparer;
  /** Keeps users' code as experiments have begun with it; absent: whoever loads it has what is there then. */
  keptCode?: KeptCode;
  /** Runs users' code. */
  userCode: CodeRunner;
  logger: Logger;
  /** Tells people, where any watch, what keeps a run waiting. May be called often with the same sentence. */
  notify(message: string): void;
  news: ExperimentNews;
  runLogs: RunLogs;
  /** Where programs are run; the same sandbox for every run of this worker. */
  sandbox(type: SandboxType): Promise<FunctionSandbox>;
  /** Programs running at once at most in this worker. */
  maxConcurrentExecutions: number;
  /** Calls in flight at most in this worker, for each model. */
  maxConcurrentCalls: number;
  /** The id of the server's namespace, which no other server's has. */
  namespaceId(): Promise<string>;
  /** Search attributes that the server knows; asked once a run. */
  knownSearchAttributes(): Promise<string[]>;
  /** Leases starts of requests to a model from the server, which holds its rate across all workers. */
  leaseStarts(model: string, requestsPerSecond: number): LeaseStarts;
}
