import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type FolderContents, heldIn } from '../activities/folder-contents.js';
import { plannedIn } from '../client/in-progress.js';
import { InvalidInputError } from '../config/errors.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { addressFacts, countFact, type Fact, stateFact } from '../facts/fact.js';
import { type Ended, factsOf, progressAtEnd } from '../facts/kind-facts.js';
import type { Kind } from '../kinds/kind.js';
import { kindOf } from '../kinds/registry.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { factsText } from './experiment-text.js';
import { askProgress, QUERY_TIMEOUT, resultOf } from './follow.js';
import { withoutWorker } from './format.js';
import { printJson, printText } from './print.js';

/** An experiment whose workflow ended without a result. */
interface CutOff {
  /** End status of the workflow, such as `terminated`. */
  phase: string;
  /** Folder of the experiment; null where it had none yet. */
  artifacts: string | null;
  /** Metrics that the workflow wrote at its end; null where it wrote none. */
  metrics: ExperimentMetrics | null;
  /** Contents from which the same command continues; null where metrics are set or the folder is not accessible. */
  held: FolderContents | null;
}

/** Statuses of an end without a result. */
const CUT_OFF: readonly string[] = ['CANCELLED', 'TERMINATED', 'TIMED_OUT'];

function isCutOff({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return CUT_OFF.includes(status.name);
}

/** Reads the state of an experiment that was cut off. No worker is needed. */
async function cutOff(
  client: Client,
  { workflowId, status, startTime }: WorkflowExecutionDescription,
  kind: Kind,
): Promise<CutOff> {
  const phase = status.name.toLowerCase();
  const plan = await plannedIn(client, workflowId);
  if (plan === null) return { phase, artifacts: null, metrics: null, held: null };
  const { artifacts } = plan;
  const store = openStore(artifacts);
  const [metrics, isHere] = await Promise.all([
    readJson<ExperimentMetrics>(store, artifactKeys.metrics),
    store.exists(artifactKeys.config),
  ]);
  // Metrics of an earlier execution do not cover the work of this one.
  if (metrics !== null && Date.parse(metrics.ended_at) >= startTime.getTime())
    return { phase: metrics.status, artifacts, metrics, held: null };
  return { phase, artifacts, metrics: null, held: isHere ? await heldIn(store, kind.held) : null };
}

/** Returns the facts of an experiment without metrics. */
function factsOfCutOff({ phase, artifacts, held }: CutOff): Fact[] {
  if (artifacts === null) return [stateFact(phase, 'before it had a folder')];
  return [
    stateFact(phase, held === null ? 'its folder is not to be seen from here' : null),
    ...Object.entries(held ?? {}).map(([what, count]) => countFact(what, count)),
    ...addressFacts('artifacts', artifacts),
  ];
}

/** State of an experiment: its result, its folder's contents where it has no result, or its progress. */
interface State {
  phase: string;
  /** null where it is unknown. */
  progress: ExperimentProgress | null;
  /** State of an experiment that was cut off before its end. */
  left: CutOff | null;
}

async function stateOf(client: Client, described: WorkflowExecutionDescription, kind: Kind): Promise<State> {
  const handle = client.workflow.getHandle(described.workflowId);
  if (isCutOff(described)) {
    const left = await cutOff(client, described, kind);
    const { artifacts, metrics, phase } = left;
    const progress =
      artifacts === null || metrics === null ? null : progressAtEnd({ artifacts, metrics }, kind.facts);
    return { phase, progress, left };
  }
  const progress =
    described.status.name === 'RUNNING'
      ? await askProgress<ExperimentProgress>(handle, QUERY_TIMEOUT)
      : progressAtEnd(await resultOf<Ended>(handle), kind.facts);
  return { phase: progress?.phase ?? 'waiting for a worker', progress, left: null };
}

function factsOfState({ progress, left }: State, { facts }: Kind): Fact[] {
  if (progress !== null) return factsOf(progress, facts);
  return left === null ? [] : factsOfCutOff(left);
}

/** Prints an experiment: for people its facts, for programs the same keys for every kind and phase. */
export async function printExperiment(
  client: Client,
  described: WorkflowExecutionDescription,
  json: boolean,
): Promise<void> {
  const id = described.workflowId;
  const kind = await kindOf(described.type)?.kind();
  if (kind === undefined) {
    throw new InvalidInputError(`'${id}' is a part of an experiment; status shows the whole`);
  }
  const state = await stateOf(client, described, kind);
  const { phase, progress, left } = state;
  const facts = factsOfState(state, kind);
  if (json) {
    const { metrics = null, artifacts = null, ...further } = progress ?? {};
    printJson({
      id,
      kind: kind.config.id,
      phase,
      artifacts: left?.artifacts ?? (artifacts === '' ? null : artifacts),
      metrics,
      held: left?.held ?? null,
      progress: progress === null ? null : further,
      facts,
    });
    return;
  }
  if (facts.length === 0) printText(withoutWorker(id));
  else if (progress !== null || left?.held == null) printText(`${id}\n${factsText(facts)}`);
  else printText(`${id}\n${factsText(facts)}\nThe command that started it continues from there.`);
}
