import type { Agent } from '../../contracts/agent.js';
import type { Task } from '../../contracts/environment.js';
import { child, type Logger, type LogSink, logger } from '../../contracts/logger.js';
import type { EpisodeError, EpisodeRecord, ResultRow, StepRecord } from '../../contracts/results.js';
import { asError } from '../../contracts/run-user-code.js';
import type { Environment } from '../../environments/environment.js';
import type { MemoryModule } from '../../memory/memory-module.js';
import type { LanePorts } from '../../runtime/ports.js';
import { resultRow } from '../../statistics/result-row.js';
import { withLog } from '../../user-code/log.js';
import { EnvDataset } from './env-dataset.js';
import { Lane } from './lane/lane.js';
import { newLane } from './lane/lane-state.js';
import { RunMetricsBuilder } from './metrics.js';
import type { Metrics } from './results.js';
import type { RunConfig } from './schema.js';
import { beginEpisode, takeStep } from './take-step.js';

/** Config of a `RunTime`; the fields of `runtime` in a run's config. */
export type RunTimeConfig = Partial<
  Pick<
    RunConfig['runtime'],
    'max_envs_to_visit' | 'max_steps_per_episode' | 'num_trials' | 'early_stop_on_success'
  >
>;

/** Agent as a `RunTime` uses it. It calls a model of its own, and keeps its memory between episodes. */
export type RunTimeAgent = Pick<Agent, 'reset' | 'act' | 'observe' | 'endEpisode'> &
  Partial<Pick<Agent, 'metrics'>>;

/** Record of one step: `obs` is what the agent acted on, `next_obs` what came of it; null when the episode is over. */
export type StepResult = StepRecord & { next_obs: string | null };

/** Names of figures that are not about a run's folder, its model, or its calls. */
const FIGURES = [
  'samples',
  'episodes',
  'accuracy_of',
  'correct',
  'accuracy',
  'accuracy_stderr',
  'accuracy_interval',
  'success_by_trial',
  'success_by_trial_stderr',
  'success_by_trial_interval',
  'correct_by_trial',
  'trials_judged',
  'mean_over_trials',
  'mean_over_trials_stderr',
  'mean_over_trials_interval',
  'scores',
  'mean_reward',
  'mean_reward_stderr',
  'mean_reward_interval',
  'errors',
  'errors_by_type',
  'error_causes',
  'warnings',
  'first_warning',
  'agent_metrics',
  'by_task',
] as const;

/** Figures of a `RunTime`, with the names and meanings of a run's metrics. */
export type RunTimeMetrics = Pick<Metrics, (typeof FIGURES)[number]>;

export interface RunTimeOptions {
  config?: RunTimeConfig;
  /** Environments, in order; or one of them. */
  envDataset: EnvDataset | Environment;
  agent: RunTimeAgent;
  /** Log of the episodes, and of what the agent and the environments log. Default: none. */
  logger?: Logger;
}

/** Episode of a `RunTime`: its row, as in `results.jsonl`, and its steps. */
export interface RunTimeEpisode extends Omit<ResultRow, 'step_records' | 'steps'> {
  steps: StepResult[];
}

const NO_MEMORY: MemoryModule = {
  update: () => undefined,
  recall: () => [],
  snapshot: () => ({ _type: 'none' }),
};

/** Returns the task of an environment; one that is no subclass of Reprise's may have none. */
const taskOf = (environment: Environment) => (environment as unknown as { task?: Task }).task;

function withNext(steps: readonly StepRecord[]): StepResult[] {
  return steps.map((step, index) => ({ ...step, next_obs: steps[index + 1]?.obs ?? null }));
}

function describeError(error: unknown): EpisodeError {
  const { name, message } = asError(error);
  const { kind } = error as { kind?: unknown };
  return { type: typeof kind === 'string' ? kind : name, message };
}

function sinkOver(own: Logger): LogSink {
  return {
    level: 'DEBUG',
    write: ({ level, name, message, fields }) =>
      child(own, name)[level.toLowerCase() as keyof Logger](message, fields),
  };
}

/**
 * Runs one agent through environments, one after another, in the loop of a run: reset, then act and step in turns, then
 * the end of the episode. Nothing is stored, and what is interrupted is lost.
 */
export class RunTime {
  readonly config: RunTimeConfig;
  readonly envDataset: EnvDataset;
  readonly agent: RunTimeAgent;
  private readonly logger: Logger;

  constructor({ config = {}, envDataset, agent, logger: own = logger }: RunTimeOptions) {
    this.config = config;
    this.envDataset = envDataset instanceof EnvDataset ? envDataset : new EnvDataset([envDataset]);
    this.agent = agent;
    this.logger = own;
  }

  /**
   * Runs all episodes. What the agent or an environment throws is the episode's error, which is in no rate.
   * @throws errors of the dataset.
   */
  async run(): Promise<{ metrics: RunTimeMetrics; episodes: RunTimeEpisode[] }> {
    const { max_envs_to_visit, num_trials = 1, early_stop_on_success = false } = this.config;
    const environments = (await this.envDataset.loadDataset()).slice(0, max_envs_to_visit ?? undefined);
    const builder = new RunMetricsBuilder({ num_trials });
    const episodes: RunTimeEpisode[] = [];
    await this.lane(environments, num_trials, (episode) => {
      const { step_records: _records, ...row } = resultRow(episode, []);
      builder.add(row, []);
      episodes.push({ ...row, steps: withNext(episode.steps) });
      const about = { sample: row.id, trial: row.trial };
      if (row.error !== null) this.logger.error('episode failed', { ...about, error: row.error });
      else this.logger.info('episode', { ...about, correct: row.feedback?.correct, reward: row.reward });
    });
    const environment = environments[0]?.constructor.name ?? 'none';
    const facts = { early_stop_on_success, environment, seed: 0 };
    return {
      metrics: figuresOf(builder.finish(facts as Parameters<RunMetricsBuilder['finish']>[0])),
      episodes,
    };
  }

  /** Runs one episode. @returns its steps @throws what the agent or the environment throws, as an Error of its type. */
  async runEpisode(environment: Environment): Promise<StepResult[]> {
    const ended: EpisodeRecord[] = [];
    await this.lane([environment], 1, (episode) => void ended.push(episode));
    const [{ steps, error }] = ended as [EpisodeRecord];
    if (error !== null) throw Object.assign(new Error(error.message), { name: error.type });
    return withNext(steps);
  }

  private async lane(
    environments: readonly Environment[],
    num_trials: number,
    record: (episode: EpisodeRecord) => void,
  ): Promise<void> {
    const made = (index: number) => ({ make: () => environments[index] as Environment });
    const nobody = async () => {
      throw new Error('an agent of a RunTime has a language model of its own');
    };
    const ports: LanePorts = {
      rules: {
        num_trials,
        early_stop_on_success: this.config.early_stop_on_success ?? false,
        carry_memory_across_trials: true,
        max_steps_per_episode: this.config.max_steps_per_episode ?? null,
        reset_each_trial: true,
        step_with_reply: false,
      },
      mayProceed: async () => true,
      openSample: async (index) => {
        const id = taskOf(environments[index] as Environment)?.id ?? String(index);
        const begun = await beginEpisode(made(index));
        if ('error' in begun) return { index, id, state: null, obs: '', problem: begun.error };
        return { index, id, ...begun };
      },
      step: ({ index }, state, action) => takeStep(made(index), state, action),
      generate: nobody,
      execute: nobody,
      createAgent: () => this.whole(),
      createMemory: () => NO_MEMORY,
      record,
      now: Date.now,
      isInterruption: () => false,
      describeError,
    };
    const lane = new Lane(newLane(0, environments.length, null), ports);
    await withLog(sinkOver(this.logger), () => lane.run());
  }

  /** Returns the agent with what only a run needs, which may hand an episode to another worker. */
  private whole(): Agent {
    const { agent } = this;
    return {
      reset: (episode) => agent.reset(episode),
      act: (observation) => agent.act(observation),
      observe: (observation, feedback, done) => agent.observe(observation, feedback, done),
      endEpisode: () => agent.endEpisode(),
      metrics: () => agent.metrics?.() ?? {},
      snapshot: () => ({}),
      restore: () => undefined,
    };
  }
}

function figuresOf(metrics: Metrics): RunTimeMetrics {
  const known = FIGURES.filter((name) => metrics[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, metrics[name]])) as RunTimeMetrics;
}
