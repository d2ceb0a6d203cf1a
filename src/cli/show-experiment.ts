import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type Held, heldIn } from '../activities/held.js';
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
  /** How the workflow ended, such as `terminated`. */
  phase: string;
  /** null where it ended before it had a folder. */
  artifacts: string | null;
  /** Those that it wrote at its end; null where it wrote none. */
  metrics: ExperimentMetrics | null;
  /** What the same command goes on from; null where its folder cannot be seen from here, or has the figures. */
  held: Held | null;
}

/** Ends that leave no result. */
const CUT_OFF: readonly string[] = ['CANCELLED', 'TERMINATED', 'TIMED_OUT'];

function isCutOff({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return CUT_OFF.includes(status.name);
}

/** What became of an experiment that was cut off. No worker is needed. */
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
  // Those of an execution before this one say nothing of what it has added.
  if (metrics !== null && Date.parse(metrics.ended_at) >= startTime.getTime())
    return { phase: metrics.status, artifacts, metrics, held: null };
  return { phase, artifacts, metrics: null, held: isHere ? await heldIn(store, kind.held) : null };
}

/** What there is to say of one without figures. */
function factsOfCutOff({ phase, artifacts, held }: CutOff): Fact[] {
  if (artifacts === null) return [stateFact(phase, 'before it had a folder')];
  return [
    stateFact(phase, held === null ? 'its folder is not to be seen from here' : null),
    ...Object.entries(held ?? {}).map(([what, count]) => countFact(what, count)),
    ...addressFacts('artifacts', artifacts),
  ];
}

/** What there is to say of an experiment: its result, what it left where it has none, or how far it is. */
interface Told {
  phase: string;
  /** null where nobody knows. */
  progress: ExperimentProgress | null;
  /** What its folder holds, where it was cut off before its end. */
  left: CutOff | null;
}

async function tell(client: Client, described: WorkflowExecutionDescription, kind: Kind): Promise<Told> {
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

function factsOfTold({ progress, left }: Told, { facts }: Kind): Fact[] {
  if (progress !== null) return factsOf(progress, facts);
  return left === null ? [] : factsOfCutOff(left);
}

/** Prints an experiment: for people its facts, for machines the same keys whatever its kind and however it stands. */
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
  const told = await tell(client, described, kind);
  const { phase, progress, left } = told;
  const facts = factsOfTold(told, kind);
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
  else printText(`${id}\n${factsText(facts)}\nThe command that started it goes on from there.`);
}
