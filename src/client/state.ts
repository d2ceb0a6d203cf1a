import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type FolderContents, heldIn } from '../activities/folder-contents.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import type { ExperimentMetrics } from '../contracts/results.js';
import { type Ended, progressAtEnd } from '../facts/kind-facts.js';
import type { Kind } from '../kinds/kind.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { askProgress, endedOf, QUERY_TIMEOUT, resultOf } from './follow.js';
import { plannedIn } from './in-progress.js';

/** An experiment whose workflow ended without a result. */
export interface CutOffExperiment {
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
export async function cutOff(
  client: Client,
  { workflowId, status, startTime }: WorkflowExecutionDescription,
  kind: Kind,
): Promise<CutOffExperiment> {
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

/** State of an experiment: its result, its folder's contents where it has no result, or its progress. */
export interface State {
  phase: string;
  /** null where it is unknown. */
  progress: ExperimentProgress | null;
  /** State of an experiment that was cut off before its end. */
  left: CutOffExperiment | null;
}

/** Returns the state of an experiment. @throws ExperimentFailedError if it failed before it had artifacts */
export async function stateOf(
  client: Client,
  described: WorkflowExecutionDescription,
  kind: Kind,
): Promise<State> {
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
      : progressAtEnd(await resultOf(handle).catch(endedOf<Ended>), kind.facts);
  return { phase: progress?.phase ?? 'waiting for a worker', progress, left: null };
}
