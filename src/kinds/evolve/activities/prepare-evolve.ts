import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { checkModels } from '../../../activities/check-model.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { wallSecondsBefore } from '../../../activities/end-experiment.js';
import { OwnerClaims } from '../../../activities/owner-claims.js';
import { paidBefore } from '../../../activities/paid-calls.js';
import { preparedSandbox, warnOfProcess } from '../../../activities/prepare-sandbox.js';
import { referenceTo } from '../../../activities/run-reference.js';
import { configOf } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readableJson } from '../../../storage/json-lines.js';
import { writeStoredConfig } from '../../../storage/stored-config.js';
import { readJson } from '../../../storage/stored-file.js';
import { noteCodeChange } from '../../../user-code/code-file.js';
import { evolveConfigs } from '../config.js';
import type { EvolveInput, EvolvePlan } from '../contracts.js';
import { experimentFiles } from '../evolution/layout.js';
import { freshState } from '../evolution/population.js';
import type { SelectionSettings } from '../evolution/selection.js';
import { chooseEvolveFolder, latestEvolveState } from '../folder.js';
import { copyFork, forkOf } from '../fork.js';
import type { SandboxPython } from '../installed-python.js';
import { installedPython } from '../installed-python.js';
import { ownDomainIn, ownScorerAndPrices } from '../own-domain.js';
import type { EvolveConfig } from '../schema.js';
import type { EvolveContexts, ExperimentMetadata } from './evolve-context.js';
import { dataWarnings, readEvolveData, writeEvolveData } from './evolve-data.js';
import { evolveDomain } from './evolve-domain.js';

function selectionOf({ selection }: EvolveConfig): SelectionSettings {
  if (selection.type !== 'islands') return { kind: selection.type };
  const { islands, migration_interval } = selection;
  return { kind: 'islands', islands, migration_interval };
}

function agentOf({ scaffolder }: EvolveConfig): Pick<EvolvePlan['scaffolder'], 'agent'> {
  if (scaffolder.mode === 'single') return {};
  const { max_turns, draft_examples } = scaffolder;
  return { agent: { max_turns, draft_examples } };
}

/**
 * Writes `metadata.json` of the experiment; its time and its Python stay those of the beginning, so that a continued
 * experiment sends the same prompts.
 * @returns true if programs find another Python now.
 */
async function writeMetadata(
  store: ArtifactStore,
  config: EvolveConfig,
  {
    experiment,
    startedAt,
    python: found,
  }: { experiment: string; startedAt: string; python: SandboxPython | null },
): Promise<boolean> {
  const before = await readJson<Partial<ExperimentMetadata>>(store, experimentFiles.metadata);
  const { created_at = startedAt, python = found } = before ?? {};
  const { models, domain, seed, evolution, timeout_sec } = config;
  const metadata: ExperimentMetadata = {
    experiment_name: config.name,
    experiment,
    created_at,
    seed,
    domain: domain.name,
    scaffolder_model: modelNameOf(models.scaffolder),
    executor_model: models.executor === null ? null : modelNameOf(models.executor),
    num_iterations: evolution.num_iterations,
    scaffolds_per_iter: evolution.scaffolds_per_iter,
    initial_scaffolds: evolution.initial_scaffolds,
    num_validation_examples: evolution.num_validation_examples,
    timeout_sec,
    python,
  };
  await store.write(experimentFiles.metadata, readableJson(metadata));
  return !isDeepStrictEqual(python, found);
}

/**
 * Creates the activity that validates the input, chooses the experiment's folder, stores config and data there, and
 * plans the work. May be repeated: it writes the same objects again.
 */
export function createPrepareEvolve(contexts: EvolveContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  async function prepareSandbox(config: EvolveConfig): Promise<SandboxPython | null> {
    if (config.sandbox.type === 'process') warnOfProcess(dependencies.notify);
    return preparedSandbox(async () => {
      const sandbox = await dependencies.sandbox(config.sandbox.type);
      await sandbox.prepare();
      return installedPython(sandbox);
    });
  }

  return (input: EvolveInput): Promise<EvolvePlan> =>
    heartbeating(async () => {
      const { info } = Context.current();
      const { workflowId, runId } = info.workflowExecution as { workflowId: string; runId: string };
      const startedAt = new Date(info.scheduledTimestampMs).toISOString();
      const { openStore, compareSymbolically, userCode } = dependencies;
      const config = await configOf(evolveConfigs, input, workflowId);
      const fork = await forkOf(openStore, config);
      await checkModels(evolveConfigs.modelsOf(config), config.limits, dependencies.environment);
      const data = await readEvolveData(
        config,
        await evolveDomain(config, { compareSymbolically, ownDomain: (file) => ownDomainIn(userCode, file) }),
        openStore,
      );
      const python = await prepareSandbox(config);

      const results = openStore(config.output.results_dir);
      const { folder, store } = await claims.take(async () => {
        const folder = await chooseEvolveFolder(results, config, startedAt, { fork, data });
        return { folder, store: results.within(folder.experiment) };
      });
      const { experiment } = folder;
      if (folder.from !== undefined) await copyFork(folder.from, store);
      await writeEvolveData(store, data);
      const isOtherPython = await writeMetadata(store, config, { experiment, startedAt, python });
      await writeStoredConfig(store, config);
      const latest = (await latestEvolveState(store)) ?? freshState();
      // Includes what an unfinished iteration has spent.
      const state = { ...latest, totals: { ...latest.totals, ...(await paidBefore(store, runId)).cost } };
      const run = referenceTo(store, runId);
      contexts.forget(run);
      const log = dependencies.runLogs.for(store, config.output.log_level, 'experiment');
      const change = await noteCodeChange(
        store,
        ownScorerAndPrices(config, dependencies.environment),
        { at: startedAt, iterations: state.next_iteration },
        { kept: dependencies.keptCode },
      );
      if (change !== null)
        log.warn({ ...change }, 'the scorer, or a price, changed since the last execution');
      const otherPython =
        'programs find another Python, or other packages, than when the experiment began; prompts name those of the beginning';
      for (const warning of [...(isOtherPython ? [otherPython] : []), ...dataWarnings(data, config)]) {
        dependencies.notify(`Warning: ${warning}`);
        log.warn(warning);
      }
      log.info(
        { experiment, folder: folder.state, seed: config.seed, next: state.next_iteration },
        'experiment prepared',
      );

      const { models, scaffolder, executor, evolution, limits, seed, timeout_sec } = config;
      const ids = (examples: readonly { id: string }[]) => examples.map(({ id }) => id);
      return {
        run,
        artifacts: store.uri,
        experiment,
        execution: runId,
        name: config.name,
        scaffolder_model: modelNameOf(models.scaffolder),
        executor_model: models.executor === null ? null : modelNameOf(models.executor),
        ...evolution,
        selection: selectionOf(config),
        seed,
        scaffolder: {
          num_examples: scaffolder.num_examples,
          feedback_examples: scaffolder.feedback?.num_examples ?? 0,
          ...agentOf(config),
        },
        executor:
          models.executor === null
            ? null
            : {
                max_lm_calls: executor.max_lm_calls_per_execution,
                max_tokens: executor.max_tokens_per_execution,
              },
        timeout_sec,
        max_attempts: models.scaffolder.max_attempts,
        lm_timeout_sec: models.scaffolder.timeout_sec,
        train: ids(data.train),
        valid: ids(data.valid),
        test: ids(data.test),
        limits,
        search_attributes: await dependencies.knownSearchAttributes(),
        state,
        spent_wall_seconds: await wallSecondsBefore(store),
      };
    });
}
