import type { Client, WorkflowExecutionInfo, WorkflowExecutionStatusName } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import { KINDS } from '../kinds/registry.js';

/** Status of an experiment's workflow, in small letters. `completed`: it has a result, whatever its phase. */
export type ListedStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';

/** Experiment in the list of a server. */
export interface ListedExperiment {
  id: string;
  kind: string;
  status: ListedStatus;
  /** Phase, such as `paused` or `done`; empty if the server does not know Reprise's search attributes. */
  phase: string;
  /** First of its models, as `provider/model`; empty as the phase is. */
  model: string;
  /** Start of its workflow, ISO 8601. */
  started: string;
}

export interface ListOptions {
  status?: ListedStatus;
  /** ID of a kind of experiment. */
  kind?: string;
  /** Maximum number of experiments; all by default. */
  limit?: number;
}

function attributeOf(info: WorkflowExecutionInfo, name: string): string {
  const pair = info.typedSearchAttributes.getAll().find(({ key }) => key.name === name);
  return (pair?.value as string | undefined) ?? '';
}

const statusOf = (name: WorkflowExecutionStatusName) => name.toLowerCase() as ListedStatus;

/** Lists the experiments of a server, the newest first; of a continued one, the newest execution. */
export async function listExperiments(
  client: Client,
  { status, kind, limit = Number.POSITIVE_INFINITY }: ListOptions = {},
): Promise<ListedExperiment[]> {
  const types = KINDS.map(({ id }) => id).filter((id) => kind === undefined || id === kind);
  // Of these, no later execution of the same experiment can be listed under another status.
  const going = status === 'running' ? " AND ExecutionStatus = 'Running'" : '';
  const query = `(${types.map((id) => `WorkflowType = '${id}'`).join(' OR ')})${going}`;
  const seen = new Set<string>();
  const found: ListedExperiment[] = [];
  if (types.length === 0) return found;
  for await (const info of client.workflow.list({ query })) {
    if (found.length >= limit) break;
    if (seen.has(info.workflowId)) continue;
    seen.add(info.workflowId);
    if (status !== undefined && statusOf(info.status.name) !== status) continue;
    found.push({
      id: info.workflowId,
      kind: info.type,
      status: statusOf(info.status.name),
      phase: attributeOf(info, SEARCH_ATTRIBUTES.phase),
      model: attributeOf(info, SEARCH_ATTRIBUTES.model),
      started: info.startTime.toISOString(),
    });
  }
  return found;
}
