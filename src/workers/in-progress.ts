import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { JsonObject } from '../contracts/json.js';
import { wholePayload } from './payload-storage.js';

/** The workflow in progress under an id; null where there is none. */
export async function inProgress(client: Client, id: string): Promise<WorkflowExecutionDescription | null> {
  try {
    const description = await client.workflow.getHandle(id).describe();
    return description.status.name === 'RUNNING' ? description : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The input that a workflow was started with; null where it is no JSON. Of its history only the first event is asked for. */
export async function startedWith(client: Client, id: string): Promise<JsonObject | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId: id },
    maximumPageSize: 1,
  });
  const sent = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  if (sent == null) return null;
  const { data, metadata } = await wholePayload(sent);
  const encoding = metadata?.encoding;
  const isJson = encoding != null && Buffer.from(encoding).toString() === 'json/plain';
  return data != null && isJson ? JSON.parse(Buffer.from(data).toString()) : null;
}
