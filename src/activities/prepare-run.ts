import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { stringify } from 'yaml';
import { InvalidInputError } from '../config/errors.js';
import { loadConfig, resolveConfig } from '../config/load.js';
import type { RunConfig } from '../config/schema.js';
import { rateLimitedQueue } from '../contracts/names.js';
import { type RunInput, type RunPlan, runReference } from '../contracts/run.js';
import { shardCount } from '../runtime/deal.js';
import { chooseExperiment } from '../storage/experiment-folder.js';
import { artifactKeys, planKey } from '../storage/paths.js';
import { checkLanguageModel } from './check-language-model.js';
import { datasetTasks } from './dataset.js';
import type { WorkerDependencies } from './dependencies.js';
import { heartbeating } from './heartbeating.js';
import { keepFinishedSamples } from './keep-finished.js';
import { readMemory } from './memory-file.js';
import type { RunContexts, StoredPlan } from './run-context.js';
import { writeTasks } from './task-reader.js';

/** The config that a workflow's input means: a file on this worker, or the config itself. */
export function configOf(input: RunInput, workflowId: string): RunConfig {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidInputError('the input of run is {"config_path": "…"} or a config');
  }
  if (typeof input.config_path !== 'string') {
    return resolveConfig(input, { source: 'the input', folder: process.cwd(), fallbackName: workflowId });
  }
  const { config_path, set, name, results_dir, ...unknown } = input as Record<string, unknown> & {
    config_path: string;
  };
  const extra = Object.keys(unknown)[0];
  if (extra !== undefined) {
    throw new InvalidInputError(
      `${extra}: unknown field beside config_path (allowed: set, name, results_dir)`,
      extra,
    );
  }
  return loadConfig(config_path, {
    overrides: (set as string[] | undefined) ?? [],
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof results_dir === 'string' ? { resultsDir: results_dir } : {}),
  });
}

/**
 * Validates the input, chooses the experiment's folder, stores config and dataset there, and says what is to be done.
 * May be repeated: it writes the same objects again.
 */
export function createPrepareRun(runs: RunContexts, dependencies: WorkerDependencies) {
  return (input: RunInput): Promise<RunPlan> =>
    heartbeating(async () => {
      const { workflowExecution } = Context.current().info;
      const { workflowId, runId } = workflowExecution as { workflowId: string; runId: string };
      const config = configOf(input, workflowId);
      await checkLanguageModel(config, dependencies);
      const { runtime, lm, agent, output } = config;
      const memory =
        output.load_memory_path === null
          ? null
          : await readMemory(
              dependencies.openStore,
              output.load_memory_path,
              config.memory,
              runtime.memory_scope,
            );
      const results = dependencies.openStore(output.results_dir);
      const { experiment, state } = await chooseExperiment(results, workflowId, config);
      const store = results.within(experiment);
      const log = dependencies.runLogs.for(store, output.log_level);

      const tasks = datasetTasks(config, dependencies.environment, Context.current().cancellationSignal);
      const samples = await writeTasks(store, tasks);
      await store.write(artifactKeys.config, stringify(config));
      const kept = await keepFinishedSamples(store, config, {
        execution: runId,
        continues: state === 'unfinished',
      });
      const todo =
        kept.indices.size === 0 ? null : range(samples).filter((index) => !kept.indices.has(index));
      const plan: StoredPlan = { todo, samples_planned: samples };
      await store.write(planKey(), JSON.stringify(plan));
      // As a path, which is shorter: it stands in the input of every call.
      const address = store.uri.startsWith('file:') ? fileURLToPath(store.uri) : store.uri;
      const reference = runReference(address, runId);
      runs.forget(reference);
      log.info(
        {
          experiment,
          samples,
          kept: kept.indices.size,
          model: `${lm.provider}/${lm.model}`,
          seed: config.seed,
        },
        'run prepared',
      );

      const slots = todo?.length ?? samples;
      const { requests_per_second, model } = lm;
      return {
        run: reference,
        artifacts: store.uri,
        experiment,
        execution: runId,
        name: config.name,
        model: `${lm.provider}/${model}`,
        simulated: lm.provider === 'simulated',
        slots,
        samples_planned: samples,
        rules: {
          num_trials: runtime.num_trials,
          early_stop_on_success: runtime.early_stop_on_success,
          carry_memory_across_trials: runtime.carry_memory_across_trials,
          max_steps_per_episode: runtime.max_steps_per_episode,
          reset_each_trial: config.dataset.env_file !== undefined,
          step_with_reply: config.dataset.env_file === undefined,
        },
        memory_scope: runtime.memory_scope,
        concurrency: runtime.memory_scope === 'run' ? 1 : runtime.concurrency,
        shards: shardCount({ memory_scope: runtime.memory_scope, concurrency: runtime.concurrency, slots }),
        memory: config.memory,
        load_memory: memory === null ? 'none' : memory._type === 'per_sample' ? 'per_sample' : 'shared',
        agent,
        limits: config.limits,
        max_attempts: lm.max_attempts,
        timeout_sec: lm.timeout_sec,
        model_queue:
          requests_per_second === null
            ? null
            : {
                name: rateLimitedQueue(
                  dependencies.taskQueue,
                  `${lm.provider}/${model}`,
                  requests_per_second,
                ),
                requests_per_second,
              },
        search_attributes: await dependencies.knownSearchAttributes(),
        kept: kept.totals,
        spent_wall_seconds: kept.wall_seconds,
      };
    });
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
