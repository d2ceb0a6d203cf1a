import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type Held, heldIn } from '../activities/held.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { plannedIn } from '../workers/in-progress.js';
import { headedTable, shownAddress } from './format.js';

/** The figures of an experiment, as its folder has them. */
interface Figures {
  status: string;
  ended_at: string;
}

/** An experiment whose workflow ended without a result. */
export interface CutOff {
  /** How the workflow ended, such as `terminated`. */
  phase: string;
  /** null where it ended before it had a folder. */
  artifacts: string | null;
  /** Those that it wrote at its end; null where it wrote none. */
  metrics: Figures | null;
  /** What the same command goes on from; null where its folder cannot be seen from here, or has the figures. */
  held: Held | null;
}

/** Ends that leave no result. */
const CUT_OFF: readonly string[] = ['CANCELLED', 'TERMINATED', 'TIMED_OUT'];

export function isCutOff({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return CUT_OFF.includes(status.name);
}

/** What became of an experiment that was cut off. No worker is needed. */
export async function cutOff(
  client: Client,
  { workflowId, type, status, startTime }: WorkflowExecutionDescription,
): Promise<CutOff> {
  const phase = status.name.toLowerCase();
  const plan = await plannedIn(client, workflowId);
  if (plan === null) return { phase, artifacts: null, metrics: null, held: null };
  const { artifacts } = plan;
  const store = openStore(artifacts);
  const [metrics, isHere] = await Promise.all([
    readJson<Figures>(store, artifactKeys.metrics),
    store.exists(artifactKeys.config),
  ]);
  // Those of an execution before this one say nothing of what it has added.
  if (metrics !== null && Date.parse(metrics.ended_at) >= startTime.getTime())
    return { phase: metrics.status, artifacts, metrics, held: null };
  return { phase, artifacts, metrics: null, held: isHere ? await heldIn(store, type) : null };
}

/** What there is to say of one without figures. */
export function cutOffReport({ phase, artifacts, held }: CutOff): string {
  if (artifacts === null) return `${phase}, before it had a folder`;
  const place = `Artifacts: ${shownAddress(artifacts)}`;
  if (held === null) return `${phase}; its folder is not to be seen from here\n${place}`;
  const rows = Object.entries(held).map(([what, count]) => [what.replaceAll('_', ' '), String(count)]);
  const table = headedTable([], [['phase', phase], ...rows]);
  return `${table}\n${place}\nThe command that started it goes on from there.`;
}
