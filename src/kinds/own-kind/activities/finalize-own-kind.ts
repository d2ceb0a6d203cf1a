import type { StoredCall } from '../../../activities/call-store.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { endExperiment, timesOf } from '../../../activities/end-experiment.js';
import { orIncomplete } from '../../../activities/incomplete.js';
import { pricesInUse } from '../../../activities/prices-in-use.js';
import { setAsideCalls } from '../../../activities/set-aside.js';
import type { Guard } from '../../../activities/unless-over.js';
import { unrecordedSoFar } from '../../../activities/unrecorded.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import type { EpisodeError } from '../../../contracts/results.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import { reportHtml } from '../../../reports/report.js';
import { addStep, costOfCall, noStepCost } from '../../../runtime/step-cost.js';
import { CallTally } from '../../../statistics/call-figures.js';
import { ErrorTally } from '../../../statistics/error-tally.js';
import { ScoreTally } from '../../../statistics/score-tally.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { deleteFolders } from '../../../storage/delete-folders.js';
import { jsonLines } from '../../../storage/json-lines.js';
import { artifactKeys, callsPrefix, WORKING_FOLDERS } from '../../../storage/paths.js';
import { keysBelow, readAhead } from '../../../storage/read-ahead.js';
import { readJson } from '../../../storage/stored-file.js';
import { codeChangesAtEnd } from '../../../user-code/code-file.js';
import type { FinalizeOwnKindInput, OwnKindMetrics, OwnKindRow } from '../contracts.js';
import type { Row } from '../define.js';
import { KindError } from '../definition.js';
import { sampleErrorKey, sampleErrorsPrefix, samplesPrefix } from '../paths.js';
import { ownKindReport } from '../report.js';
import type { OwnKindContext, OwnKindContexts } from './own-kind-context.js';
import { storedSample } from './sample-activities.js';

/** Own code without modules: those of the kind were noted when it was loaded. */
const NO_OTHER_CODE = { paths: [], folders: [] };

/** A stored call, without its reply. */
interface PlacedCall extends Pick<CallRecord, 'sample_id' | 'ordinal'> {
  key: string;
}

/** Finds the stored calls, and adds up those of each sample, and all. */
async function placedCalls(
  store: ArtifactStore,
  tally: CallTally,
): Promise<{ placed: PlacedCall[]; costs: Map<string, StepCost> }> {
  const placed: PlacedCall[] = [];
  const costs = new Map<string, StepCost>();
  const read = async (key: string) => [key, await readJson<StoredCall>(store, key)] as const;
  for await (const [key, call] of readAhead(await keysBelow(store, callsPrefix()), read)) {
    if (call === null) continue;
    const { sample_id, ordinal } = call.record;
    tally.addReply(call.record);
    costs.set(sample_id, addStep(costs.get(sample_id) ?? noStepCost(), costOfCall(call.record)));
    placed.push({ key, sample_id, ordinal });
  }
  return { placed, costs };
}

/** Yields the calls sample by sample, each in the order in which they were made. */
async function* calls(
  store: ArtifactStore,
  ids: readonly string[],
  { placed, tally }: { placed: readonly PlacedCall[]; tally: CallTally },
): AsyncGenerator<CallRecord> {
  // Set-aside replies come first: a replay uses the last reply at each place.
  for await (const record of setAsideCalls(store)) {
    tally.addReply(record);
    yield record;
  }
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const place = ({ sample_id }: PlacedCall) => numbers.get(sample_id) ?? ids.length;
  const sorted = [...placed].sort(
    (left, right) => place(left) - place(right) || left.ordinal - right.ordinal,
  );
  for await (const call of readAhead(sorted, ({ key }) => readJson<StoredCall>(store, key)))
    if (call !== null) yield call.record;
}

/**
 * Builds the row of a sample; null if it has neither row nor error. A row takes precedence over an earlier error.
 * @param costs of the stored calls by sample: one that ended in an error has made some, too
 */
async function rowOf(
  context: OwnKindContext,
  sample: number,
  costs: ReadonlyMap<string, StepCost>,
): Promise<OwnKindRow | null> {
  const { id, question, target, metadata } = await context.tasks.get(sample);
  const stored = await storedSample(context, { sample });
  const error = stored === null ? await readJson<EpisodeError>(context.store, sampleErrorKey(sample)) : null;
  if (stored === null && error === null) return null;
  const { lm_calls, usage, cost_usd } = stored?.cost ?? costs.get(id) ?? noStepCost();
  const { scores = {}, ...row } = stored?.row ?? {};
  const ofSample = Object.keys(metadata).length === 0 ? {} : { metadata };
  return {
    ...ofSample,
    ...row,
    id,
    question,
    target,
    scores,
    error,
    lm_calls,
    usage,
    cost_usd,
  } as OwnKindRow;
}

/** Creates the activity that writes the artifacts from stored samples and calls; `metrics.json` is written last. */
export function createFinalizeOwnKind(contexts: OwnKindContexts, dependencies: WorkerDependencies) {
  async function figuresOf({ code }: OwnKindContext, rows: readonly Row[]) {
    try {
      return { figures: await code.figures(rows) };
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      return { figures: {}, figures_error: error.message };
    }
  }

  async function writeArtifacts(context: OwnKindContext, input: FinalizeOwnKindInput, guard: Guard) {
    const store = guard(context.store);
    const { plan, status, message } = input;
    context.calls.forget();
    const errors = new ErrorTally();
    const rows: Row[] = [];
    const ids: string[] = [];
    const scores = new ScoreTally();
    const tally = new CallTally(({ role, purpose }) => role ?? purpose);
    const { placed, costs } = await placedCalls(store, tally);
    const results = async function* () {
      const samples = Array.from({ length: plan.samples }, (_, sample) => sample);
      for await (const row of readAhead(samples, (sample) => rowOf(context, sample, costs))) {
        if (row === null) continue;
        ids.push(row.id);
        if (row.error === null) {
          rows.push(row);
          scores.add(row.id, row.scores);
        } else errors.add(row.error);
        yield row;
      }
    };
    await store.writeStream(artifactKeys.results, jsonLines(results()));
    await store.writeStream(artifactKeys.calls, jsonLines(calls(store, ids, { placed, tally })));
    const values = pricesInUse(Object.values(context.config.models), dependencies.environment);
    const code = { ...NO_OTHER_CODE, values };
    const gathered: OwnKindMetrics = {
      name: plan.name,
      experiment: plan.experiment,
      kind: 'own-kind',
      status,
      status_message: message,
      kind_name: plan.kind_name,
      models: Object.fromEntries(Object.entries(plan.models).map(([role, { model }]) => [role, model])),
      simulated: plan.simulated,
      samples_planned: plan.samples,
      samples: rows.length,
      scores: scores.figures(),
      ...(await figuresOf(context, rows)),
      errors: errors.total,
      errors_by_type: errors.counts(),
      ...errors.causes(),
      ...tally.figures(await unrecordedSoFar(store)),
      code_changes: await codeChangesAtEnd(
        store,
        { code, kept: dependencies.keptCode },
        { samples: rows.length },
      ),
      ...timesOf(input),
    };
    const recorded = gathered.samples + gathered.errors;
    const rowsFound = { planned: plan.samples, recorded, errors: gathered.errors_by_type };
    const metrics = orIncomplete(gathered, rowsFound, 'sample');
    await store.writeStream(artifactKeys.report, reportHtml(ownKindReport(metrics)));
    const { status: ended, samples, cost_usd } = metrics;
    context
      .log('experiment')
      .info({ status: ended, samples, errors: metrics.errors, cost_usd }, 'experiment ended');
    return metrics;
  }

  return endExperiment(
    { contexts, runLogs: dependencies.runLogs },
    writeArtifacts,
    async ({ store }, _input, { status, errors }: OwnKindMetrics) => {
      // Samples with an error can be retried with the replies that they have.
      if (status !== 'done' || errors > 0) return;
      await deleteFolders(store, [...WORKING_FOLDERS, samplesPrefix(), sampleErrorsPrefix()]);
    },
  );
}
