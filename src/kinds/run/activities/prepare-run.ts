import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { heartbeating } from '../../../activities/attempt-journal.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { hubListener } from '../../../activities/hub-listener.js';
import { locate } from '../../../activities/locate.js';
import { OwnerClaims } from '../../../activities/owner-claims.js';
import { referenceTo } from '../../../activities/run-reference.js';
import { unlessOver } from '../../../activities/unless-over.js';
import { configOf } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import { byUnitText } from '../../../facts/text.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { copyArtifact } from '../../../storage/copy-artifact.js';
import { chooseFolder } from '../../../storage/experiment-folder.js';
import { artifactKeys } from '../../../storage/paths.js';
import { writeStoredConfig } from '../../../storage/stored-config.js';
import { readJson } from '../../../storage/stored-file.js';
import { noteCodeChange } from '../../../user-code/code-file.js';
import { tryAgent } from '../agent-factory.js';
import { runConfigs } from '../config.js';
import type { RunInput, RunPlan } from '../contracts.js';
import { environmentCode } from '../environment-code.js';
import { foundRun } from '../folder.js';
import { whyByUnit } from '../grain.js';
import { inWords } from '../in-words.js';
import { laneRulesOf } from '../lane/lane-rules.js';
import { isSimulated, judgeOf } from '../models.js';
import { ownCodeAndPrices } from '../own-code.js';
import { planKey } from '../paths.js';
import type { RunConfig } from '../schema.js';
import { votesOf } from '../scorers/model-graded.js';
import { checkOwnScorers } from '../scorers/own-scorer.js';
import { trialOfAccuracy } from '../trial-figures.js';
import { checkLanguageModel } from './check-language-model.js';
import { checkedTasks } from './dataset.js';
import { keepBaseline } from './decide.js';
import { prepareSandbox } from './executions.js';
import { keepFinishedSamples } from './keep-finished.js';
import {
  factsOfLoaded,
  keptMemory,
  type LoadedMemory,
  memoryToBeginWith,
  vectorsBeside,
} from './memory-file.js';
import { epochsOf, type RunContexts, type StoredPlan } from './run-context.js';
import { writeTasks } from './task-reader.js';

/** Reads the plan that another attempt of this execution prepared; null if there is none. */
async function preparedPlan(store: ArtifactStore, execution: string): Promise<RunPlan | null> {
  const plan = (await readJson<Partial<StoredPlan>>(store, planKey()))?.plan;
  return plan?.execution === execution ? plan : null;
}

/** Returns what models grade, for the plan; nothing where no scorer asks one. */
function gradingOf(config: RunConfig): Pick<RunPlan, 'grading'> {
  const { scorers } = config;
  const votes = votesOf(scorers, judgeOf(config)).map(({ scorer, lm: { timeout_sec, max_attempts } }) => ({
    scorer,
    timeout_sec,
    max_attempts,
  }));
  const vectors = Object.entries(scorers).flatMap(([name, { type }]) =>
    type === 'similarity' ? [name] : [],
  );
  return votes.length + vectors.length === 0 ? {} : { grading: { votes, vectors } };
}

/**
 * Creates the activity that validates the input, chooses the experiment's folder, stores config and dataset there, and
 * returns the plan. May be repeated; nothing is prepared again once the execution may have begun.
 */
export function createPrepareRun(runs: RunContexts, dependencies: WorkerDependencies) {
  const claims = new OwnerClaims(dependencies);

  /** Writes the execution's folder; `plan.json` comes last. */
  async function prepare(
    config: RunConfig,
    named: LoadedMemory,
    { experiment, state }: Awaited<ReturnType<typeof chooseFolder>>,
    { store, log, runId }: { store: ArtifactStore; log: Logger; runId: string },
  ): Promise<RunPlan> {
    const { runtime, lm, agent, output } = config;
    await prepareSandbox(config, dependencies, log);
    await checkOwnScorers(dependencies.userCode, config);
    await keepBaseline(store, config, dependencies.openStore);
    const memory = await keepLoadedMemory(store, named);
    if (output.load_memory_path !== null)
      await keepLoadedVectors(dependencies, store, output.load_memory_path);

    const { cancellationSignal: signal } = Context.current();
    const { environment } = dependencies;
    const means: string[] = [...inWords(config, factsOfLoaded(config, memory)).sentences];
    const notify = (sentence: string) => {
      means.push(sentence);
      // Local rows were read by the command, which printed this sentence.
      if (config.dataset.hf_name !== undefined) dependencies.notify(sentence);
    };
    const { openStore } = dependencies;
    const onUnreachable = hubListener(dependencies);
    const reading = { environment, signal, notify, onUnreachable, openStore, images: store };
    const tasks = checkedTasks(config, reading, environmentCode(dependencies.userCode));
    const { count, rows } = await writeTasks(store, tasks);
    const samples = count * epochsOf(config);
    await writeStoredConfig(store, config, means);
    const kept = await keepFinishedSamples(store, config, {
      execution: runId,
      continues: state === 'unfinished',
    });
    if (kept.asked_anew > 0) {
      const later = kept.asked_anew === 1 ? 'The sample' : `The ${kept.asked_anew} samples`;
      dependencies.notify(
        `${later} after the first one with an error share a memory with it: where it changes their prompts they are asked, and paid, again.`,
      );
    }
    const change = await noteCodeChange(
      store,
      ownCodeAndPrices(config, dependencies.environment),
      { at: new Date().toISOString(), episodes: kept.totals.episodes },
      { kept: dependencies.keptCode },
    );
    if (change !== null)
      log.warn({ ...change }, 'code of the user’s own, or a price, changed since the last execution');
    const todo = kept.indices.size === 0 ? null : range(samples).filter((index) => !kept.indices.has(index));
    const reference = referenceTo(store, runId);
    const model = modelNameOf(lm);
    const slots = todo?.length ?? samples;
    const why = dependencies.runsUnits === true ? whyByUnit(config, slots) : null;
    if (why !== null) means.push(byUnitText('samples', why));
    const plan: RunPlan = {
      run: reference,
      artifacts: store.uri,
      experiment,
      execution: runId,
      name: config.name,
      model,
      simulated: isSimulated(config),
      slots,
      samples_planned: samples,
      rules: laneRulesOf(config),
      memory_scope: runtime.memory_scope,
      ...(why !== null ? { grain: 'unit' as const } : {}),
      concurrency: runtime.memory_scope === 'run' ? 1 : runtime.concurrency,
      memory: config.memory,
      load_memory: memory === null ? 'none' : memory._type === 'per_sample' ? 'per_sample' : 'shared',
      agent,
      limits: config.limits,
      ...(config.limits.stop_when === null ? {} : { decides: true as const }),
      max_attempts: lm.max_attempts,
      timeout_sec: lm.timeout_sec,
      search_attributes: await dependencies.knownSearchAttributes(),
      kept: kept.totals,
      spent_wall_seconds: kept.wall_seconds,
      means,
      accuracy_of: trialOfAccuracy(runtime),
      ...gradingOf(config),
    };
    const stored: StoredPlan = { todo, samples_planned: samples, plan, rows };
    await store.write(planKey(), JSON.stringify(stored));
    runs.forget(reference);
    log.info(
      { experiment, samples, kept: kept.indices.size, model, seed: config.seed, means },
      'run prepared',
    );
    return plan;
  }

  return (input: RunInput): Promise<RunPlan> =>
    heartbeating(async () => {
      const { workflowExecution } = Context.current().info;
      const { workflowId, runId } = workflowExecution as { workflowId: string; runId: string };
      const config = await configOf(runConfigs, input, workflowId);
      await tryAgent(dependencies.userCode, config);
      if (dependencies.languageModel === undefined) await checkLanguageModel(config, dependencies);
      const { output } = config;
      const named = await memoryToBeginWith(dependencies.openStore, config);
      const results = dependencies.openStore(output.results_dir);
      const { folder, store } = await claims.take(async () => {
        const folder = await chooseFolder(workflowId, (id) =>
          foundRun(results.within(id), id, config, dependencies.environment),
        );
        return { folder, store: results.within(folder.experiment) };
      });
      const log = dependencies.runLogs.for(store, output.log_level, 'experiment');
      return unlessOver(
        () => preparedPlan(store, runId),
        (guard) => prepare(config, named, folder, { store: guard(store), log, runId }),
      );
    });
}

/**
 * Stores a copy of the memory that the run begins with, because the run may save to the same file. A continued run
 * keeps the copy that it has.
 */
async function keepLoadedMemory(store: ArtifactStore, named: LoadedMemory): Promise<LoadedMemory> {
  if (named === null) return null;
  await store.write(artifactKeys.loadedMemory, JSON.stringify(named), { ifAbsent: true });
  return keptMemory(store);
}

async function keepLoadedVectors(
  { openStore }: WorkerDependencies,
  store: ArtifactStore,
  address: string,
): Promise<void> {
  if (await store.exists(artifactKeys.loadedVectors)) return;
  const beside = locate(openStore, vectorsBeside(address));
  await copyArtifact(beside, { store, key: artifactKeys.loadedVectors });
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
