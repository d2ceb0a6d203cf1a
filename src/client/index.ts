/** `import { connect } from 'reprise/client'`: experiments are started, followed and controlled from a program. */
import type { AgentEvalMetrics, AgentEvalProgress } from '../kinds/agent-eval/results.js';
import type { WrittenAgentEvalConfig } from '../kinds/agent-eval/schema.js';
import type { EvolveMetrics, EvolveProgress } from '../kinds/evolve/results.js';
import type { WrittenEvolveConfig } from '../kinds/evolve/schema.js';
import type { JudgeMetrics, JudgeProgress } from '../kinds/judge/contracts.js';
import type { WrittenJudgeConfig } from '../kinds/judge/schema.js';
import type { OwnKindMetrics, OwnKindProgress } from '../kinds/own-kind/contracts.js';
import type { WrittenOwnKindConfig } from '../kinds/own-kind/schema.js';
import type { RunProgress } from '../kinds/run/contracts.js';
import type { Metrics } from '../kinds/run/results.js';
import type { WrittenRunConfig } from '../kinds/run/schema.js';
import type { SweepMetrics, SweepProgress } from '../kinds/sweep/contracts.js';
import type { WrittenSweepConfig } from '../kinds/sweep/schema.js';
import { type ConnectOptions, ExperimentClient, type StartOptions } from './client.js';
import type { Experiment } from './experiment.js';
import type { ListedExperiment, ListOptions } from './list.js';

export { InvalidInputError } from '../config/errors.js';
export {
  DEFAULT_TASK_QUEUE,
  FAILURE_TYPES,
  MAX_CONCURRENCY,
  QUERIES,
  SEARCH_ATTRIBUTES,
  UPDATES,
} from '../contracts/names.js';
export type { ExperimentProgress } from '../contracts/progress.js';
export type { ExperimentMetrics } from '../contracts/results.js';
export type { ConnectOptions, StartOptions } from './client.js';
export type { Experiment } from './experiment.js';
export { ExperimentFailedError, type FailedStatus } from './follow.js';
export type { ListedExperiment, ListedStatus, ListOptions } from './list.js';

/** Types of the kinds of experiment: the input of a workflow, the answer of its query `progress`, and its metrics. */
export interface ExperimentKinds {
  run: { config: WrittenRunConfig; progress: RunProgress; metrics: Metrics };
  evolve: { config: WrittenEvolveConfig; progress: EvolveProgress; metrics: EvolveMetrics };
  'agent-eval': { config: WrittenAgentEvalConfig; progress: AgentEvalProgress; metrics: AgentEvalMetrics };
  judge: { config: WrittenJudgeConfig; progress: JudgeProgress; metrics: JudgeMetrics };
  sweep: { config: WrittenSweepConfig; progress: SweepProgress; metrics: SweepMetrics };
  'own-kind': { config: WrittenOwnKindConfig; progress: OwnKindProgress; metrics: OwnKindMetrics };
}

export type KindId = keyof ExperimentKinds;

/** Experiment of one kind. */
export type ExperimentOf<Kind extends KindId> = Experiment<
  Kind,
  ExperimentKinds[Kind]['progress'],
  ExperimentKinds[Kind]['metrics']
>;

/** Experiment of some kind; `kind` tells which. */
export type AnyExperiment = { [Kind in KindId]: ExperimentOf<Kind> }[KindId];

/** Connection to a Temporal server, typed by kind of experiment; see {@link ExperimentClient}. */
export interface Client extends Pick<ExperimentClient, 'close'> {
  /**
   * Starts an experiment, attaches to the one in progress with its name, or continues an unfinished one; a finished one
   * is never written over.
   * @param kind of experiment, which is also the type of its workflow
   * @param config path of a YAML file, or its content, with paths relative to the working folder
   * @throws InvalidInputError that names the field that is wrong.
   */
  start<Kind extends KindId>(
    kind: Kind,
    config: string | ExperimentKinds[Kind]['config'],
    options?: StartOptions,
  ): Promise<ExperimentOf<Kind>>;

  /** Finds an experiment, in progress or ended. @throws InvalidInputError if there is none, or it is of another kind. */
  attach(id: string): Promise<AnyExperiment>;
  attach<Kind extends KindId>(id: string, kind: Kind): Promise<ExperimentOf<Kind>>;

  /** Lists the experiments of the server, the newest first. A new one may be missing for a second. */
  list(options?: ListOptions & { kind?: KindId }): Promise<ListedExperiment[]>;
}

/**
 * Connects to the Temporal server that `reprise` would use in this folder, or to another one.
 * @throws InvalidInputError if there is none, or it cannot be reached.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  return (await ExperimentClient.connect(options)) as unknown as Client;
}
