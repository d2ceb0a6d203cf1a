import type { Logger } from 'pino';
import type { Permissions } from '../config/named-files.js';
import type { SandboxType } from '../config/sandbox-schema.js';
import type { LanguageModel } from '../contracts/language-model.js';
import type { SymbolicComparer } from '../grading/grade.js';
import type { OnUnreachable } from '../language-models/outage.js';
import type { GrantStarts } from '../language-models/pace.js';
import type { FunctionSandbox } from '../sandboxes/sandbox.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import type { CodeRunner } from '../user-code/code-runner.js';
import type { KeptCode } from '../user-code/kept-code.js';
import type { RunLogs } from './run-log.js';

/** Notifies experiments of what they wait for. */
export interface ExperimentNotices {
  /**
   * Returns the listener for the experiment of the current activity context.
   * @param what it waits for, such as a model's name
   */
  listener(what: string): OnUnreachable;
}

/** Dependencies that `workers/` passes to the activities; all access to the outside is behind one of these. */
export interface WorkerDependencies {
  openStore(uriOrPath: string): ArtifactStore;
  /** Permissions for experiments that anybody may start; absent: everything is allowed. */
  permissions?: Permissions;
  /** Keys and addresses; `process.env` in a worker. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Model that replaces the one that a run names. */
  languageModel?: LanguageModel;
  /** Runs off the main thread with a time limit in a worker. */
  compareSymbolically: SymbolicComparer;
  /** Keeps users' code as it was when an experiment began; absent: the current code is loaded. */
  keptCode?: KeptCode;
  userCode: CodeRunner;
  logger: Logger;
  /** Notifies people of what keeps a run waiting. May be called often with the same sentence. */
  notify(message: string): void;
  notices: ExperimentNotices;
  runLogs: RunLogs;
  /** Returns the sandbox that runs programs; the same for every run of this worker. */
  sandbox(type: SandboxType): Promise<FunctionSandbox>;
  /** Maximum number of programs running at once in this worker. */
  maxConcurrentExecutions: number;
  /** Maximum calls in flight in this worker, for each model. */
  maxConcurrentCalls: number;
  /** True if the worker runs bundles of units; absent: each call is an activity. */
  runsUnits?: boolean;
  /** Reports whether the worker is being stopped; absent: it never is. */
  isStopping?(): boolean;
  /** Returns the unique ID of the server's namespace. */
  namespaceId(): Promise<string>;
  /** Returns the search attributes that the server knows; requested once a run. */
  knownSearchAttributes(): Promise<string[]>;
  /** Returns the source of grants to start requests to a model; the server holds the rate across all workers. */
  grantStarts(model: string, requestsPerSecond: number): GrantStarts;
}
