import { basename } from 'node:path/posix';
import { executionHash, identityHash } from '../../../activities/call-key.js';
import type { StoredCall } from '../../../activities/call-store.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { endExperiment, timesOf } from '../../../activities/end-experiment.js';
import { orIncomplete } from '../../../activities/incomplete.js';
import type { OpenStore } from '../../../activities/locate.js';
import { setAsideCalls } from '../../../activities/set-aside.js';
import type { Guard } from '../../../activities/unless-over.js';
import { unrecordedSoFar } from '../../../activities/unrecorded.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { ExecutionRecord } from '../../../contracts/execution.js';
import type { TaskRow } from '../../../contracts/results.js';
import { reportHtml } from '../../../reports/report.js';
import { withTask } from '../../../statistics/result-row.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { deleteFolders } from '../../../storage/delete-folders.js';
import { jsonLines } from '../../../storage/json-lines.js';
import {
  artifactKeys,
  callsPrefix,
  executionsPrefix,
  logPartsPrefix,
  stepAnswersPrefix,
  WORKING_FOLDERS,
} from '../../../storage/paths.js';
import { keysBelow, recordsBelow } from '../../../storage/read-ahead.js';
import { trajectoryOf } from '../../../trajectories/from-episode.js';
import { codeChangesAtEnd } from '../../../user-code/code-file.js';
import type { FinalizeInput, RunPlan } from '../contracts.js';
import { EpochAnswers } from '../epoch-answers.js';
import { RunMetricsBuilder } from '../metrics.js';
import { ownCodeAndPrices } from '../own-code.js';
import {
  everyJournalPrefix,
  everyPartPrefix,
  keptLanesPrefix,
  paidEmbeddingsPrefix,
  partsPrefix,
} from '../paths.js';
import { runReport } from '../report.js';
import type { Metrics } from '../results.js';
import type { RunConfig } from '../schema.js';
import { knownSoFar } from './decide.js';
import { paidEmbeddings } from './embeddings.js';
import { factsOfLoaded } from './memory-file.js';
import { MergedParts } from './part-file.js';
import type { RunContext, RunContexts } from './run-context.js';
import { runFacts } from './run-facts.js';
import { writeMemory } from './write-memory.js';

/** Reads the records that belong to no finished episode, because a limit or a stop cut it off. */
function looseRecords<Stored>(
  store: ArtifactStore,
  prefix: string,
  listed: ReadonlySet<string>,
): AsyncGenerator<Stored> {
  return recordsBelow(store, prefix, (key) => !listed.has(basename(key, '.json')));
}

/** Writes every file of rows, in one pass each, and adds up the rows' figures. */
async function writeRows(
  store: ArtifactStore,
  run: RunContext,
  parts: MergedParts,
  metrics: RunMetricsBuilder,
): Promise<void> {
  const listed = new Set<string>();
  const answers = new EpochAnswers(run.config, { ...run.config.metrics }, run.compareSymbolically);
  await store.writeStream(
    artifactKeys.results,
    jsonLines(
      (async function* () {
        for await (const { index, row, calls, executions = [] } of parts.episodes()) {
          const whole = withTask(row, await run.taskOf(index));
          metrics.add(await answers.counted(whole), calls);
          for (const call of calls) listed.add(identityHash(call));
          for (const execution of executions) listed.add(executionHash(execution));
          yield whole;
        }
      })(),
    ),
  );
  await store.writeStream(
    artifactKeys.calls,
    jsonLines(
      (async function* () {
        // Of several records of the same call, a replay uses the last one.
        for await (const record of setAsideCalls(store)) {
          metrics.addCall(record);
          yield record;
        }
        for await (const { calls } of parts.episodes()) yield* calls;
        for await (const { record } of looseRecords<StoredCall>(store, callsPrefix(), listed)) {
          metrics.addCall(record);
          yield record;
        }
      })(),
    ),
  );
  const executions = everyExecution(store, parts, listed, metrics);
  const first = await executions.next();
  // Only a run with programs has this file.
  if (!first.done) {
    await store.writeStream(artifactKeys.executions, jsonLines(startingWith(first.value, executions)));
  }
  await store.writeStream(
    artifactKeys.trajectories,
    jsonLines(
      (async function* () {
        for await (const { row, calls } of parts.episodes()) {
          const trajectory = trajectoryOf(row, calls, run.config.seed);
          if (trajectory !== null) yield trajectory;
        }
      })(),
    ),
  );
}

async function* rowsOf(run: RunContext, parts: MergedParts): AsyncGenerator<TaskRow> {
  for await (const { index, row } of parts.episodes()) yield withTask(row, await run.taskOf(index));
}

async function* startingWith<Row>(first: Row, rest: AsyncIterable<Row>): AsyncGenerator<Row> {
  yield first;
  yield* rest;
}

async function* everyExecution(
  store: ArtifactStore,
  parts: MergedParts,
  listed: ReadonlySet<string>,
  metrics: RunMetricsBuilder,
): AsyncGenerator<ExecutionRecord> {
  const all = (async function* () {
    for await (const { executions = [] } of parts.episodes()) yield* executions;
    yield* looseRecords<ExecutionRecord>(store, executionsPrefix(), listed);
  })();
  for await (const record of all) {
    metrics.addExecution(record);
    yield record;
  }
}

/** Folders that unfinished runs need, and runs with samples that `reprise retry` may request again. */
const WORKING_FILES = [
  ...WORKING_FOLDERS,
  everyPartPrefix(),
  stepAnswersPrefix(),
  executionsPrefix(),
  everyJournalPrefix(),
  keptLanesPrefix(),
  paidEmbeddingsPrefix(),
];

/**
 * True if a run has errors whose samples can be retried alone. If samples share a memory, later ones depend on earlier
 * ones.
 */
function isRetryable({ errors }: Pick<Metrics, 'errors'>, { runtime }: Pick<RunConfig, 'runtime'>): boolean {
  return errors > 0 && runtime.memory_scope === 'sample';
}

/** Deletes what has been merged into a finished run's artifacts, except what a retry of samples with an error needs. */
async function removeWorkingFiles(
  { store, config }: RunContext,
  plan: RunPlan,
  metrics: Metrics,
): Promise<void> {
  if (!isRetryable(metrics, config)) {
    return deleteFolders(store, WORKING_FILES);
  }
  const parts = await MergedParts.open(store, await keysBelow(store, partsPrefix(plan.execution)));
  const finished = new Set<string>();
  for await (const lines of parts.samples()) {
    if (lines.at(-1)?.row.error !== null) continue;
    for (const { calls, executions = [] } of lines) {
      for (const call of calls) finished.add(identityHash(call));
      for (const execution of executions) finished.add(executionHash(execution));
    }
  }
  for (const prefix of [callsPrefix(), stepAnswersPrefix(), executionsPrefix()]) {
    await store.delete(await keysBelow(store, prefix, (key) => finished.has(basename(key, '.json'))));
  }
  await store.deleteFolder(logPartsPrefix().replace(/\/$/, ''));
}

/** What cannot be said of scores has ended the run already, if it was asked. */
function ignoringInvalid(error: unknown): null {
  if (error instanceof InvalidInputError) return null;
  throw error;
}

/** Merges the parts into the run's artifacts. */
async function writeArtifacts(
  run: RunContext,
  input: FinalizeInput,
  { dependencies, guard }: { dependencies: WorkerDependencies; guard: Guard },
): Promise<Metrics> {
  const { plan, status, message } = input;
  const { config } = run;
  const store = guard(run.store);
  const log = dependencies.runLogs.for(run.store, config.output.log_level, 'experiment');
  const parts = await MergedParts.open(store, await keysBelow(store, partsPrefix(plan.execution)));
  const builder = new RunMetricsBuilder({ ...config.runtime, ...config.metrics, scorers: config.scorers });
  await writeRows(store, run, parts, builder);
  const embeddings = await paidEmbeddings(store);
  if (embeddings !== null) builder.addEmbeddings(embeddings);
  const unrecorded = await unrecordedSoFar(store);
  if (unrecorded !== null) builder.addUnrecorded(unrecorded);
  const openStore: OpenStore = (address) => guard(dependencies.openStore(address));
  await writeMemory(run, parts, { store, openStore, execution: plan.execution });
  const code_changes = await codeChangesAtEnd(
    store,
    { code: ownCodeAndPrices(config, dependencies.environment), kept: dependencies.keptCode },
    { episodes: builder.episodesSoFar },
  );
  const gathered = builder.finish(
    runFacts(config, factsOfLoaded(config, await run.loadedMemory()), {
      experiment: plan.experiment,
      status,
      status_message: message,
      samples_planned: plan.samples_planned,
      ...timesOf(input),
      ...(code_changes.length === 0 ? {} : { code_changes }),
    }),
  );
  const known = await knownSoFar(store, parts, config).catch(ignoringInvalid);
  const metrics = orIncomplete(
    known === null ? gathered : { ...gathered, known },
    {
      planned: gathered.samples_planned,
      recorded: gathered.samples,
      errors: gathered.errors_by_type,
    },
    'sample',
  );
  await store.writeStream(artifactKeys.report, reportHtml(runReport(metrics, rowsOf(run, parts))));
  const { samples, correct, errors, accuracy, cost_usd } = metrics;
  log.info({ status, samples, correct, errors, accuracy, cost_usd, message }, 'run ended');
  return metrics;
}

/**
 * Creates the activity that writes the run's artifacts. A folder whose `metrics.json` has the status `done` is
 * complete. The parts of an unfinished run remain, so that it can be continued, and of a complete one those of samples
 * with an error.
 */
export function createFinalizeRun(runs: RunContexts, dependencies: WorkerDependencies) {
  return endExperiment(
    { contexts: runs, runLogs: dependencies.runLogs },
    (run, input: FinalizeInput, guard) => writeArtifacts(run, input, { dependencies, guard }),
    async (run, { plan }, metrics: Metrics) => {
      if (metrics.status === 'done') await removeWorkingFiles(run, plan, metrics);
    },
  );
}
