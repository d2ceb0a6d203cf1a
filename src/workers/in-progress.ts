import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { JsonObject } from '../contracts/json.js';

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

/** The input that a workflow was started with; null where it is not kept in the history itself. */
export async function startedWith(client: Client, id: string): Promise<JsonObject | null> {
  const { events } = await client.workflow.getHandle(id).fetchHistory();
  const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  const encoding = payload?.metadata?.encoding;
  const isJson = encoding != null && Buffer.from(encoding).toString() === 'json/plain';
  return payload?.data != null && isJson ? JSON.parse(Buffer.from(payload.data).toString()) : null;
}
