import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { InvalidInputError } from '../config/errors.js';
import { isMapping, type JsonObject } from '../contracts/json.js';
import { wholePayload } from '../workers/payload-storage.js';

/** Returns the workflow in progress with an ID; null if there is none. */
export async function inProgress(client: Client, id: string): Promise<WorkflowExecutionDescription | null> {
  try {
    const description = await client.workflow.getHandle(id).describe();
    return description.status.name === 'RUNNING' ? description : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** @throws InvalidInputError where no run has the id. */
export async function describeRun(client: Client, id: string) {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new InvalidInputError(`there is no run '${id}' on this server; reprise status lists the runs`);
  }
}

/** Returns a JSON value of a history; null for another payload. */
async function jsonOf(payload: Payload | null | undefined): Promise<JsonObject | null> {
  if (payload == null) return null;
  const { data, metadata } = await wholePayload(payload);
  const encoding = metadata?.encoding;
  const isJson = encoding != null && Buffer.from(encoding).toString() === 'json/plain';
  return data != null && isJson ? JSON.parse(Buffer.from(data).toString()) : null;
}

/** Reads the history of a workflow's newest execution. */
async function* eventsOf(client: Client, id: string, pageSize: number) {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId: id },
      maximumPageSize: pageSize,
      ...(nextPageToken == null ? {} : { nextPageToken }),
    });
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken != null && nextPageToken.length > 0);
}

/**
 * Returns the input that a workflow was started with; null if it is no JSON. Reads only the first event of its history.
 */
export async function startedWith(client: Client, id: string): Promise<JsonObject | null> {
  for await (const { workflowExecutionStartedEventAttributes: started } of eventsOf(client, id, 1))
    return jsonOf(started?.input?.payloads?.[0]);
  return null;
}

const EVENTS_A_PAGE = 50;

/**
 * Returns the plan of an experiment: from its first activity or from the execution before; null if it ended before
 * that.
 */
export async function plannedIn(client: Client, id: string): Promise<{ artifacts: string } | null> {
  for await (const event of eventsOf(client, id, EVENTS_A_PAGE)) {
    const started = event.workflowExecutionStartedEventAttributes;
    const carried = (await jsonOf(started?.input?.payloads?.[1]))?.plan;
    const answered = await jsonOf(event.activityTaskCompletedEventAttributes?.result?.payloads?.[0]);
    for (const plan of [carried, answered])
      if (isMapping(plan) && typeof plan.artifacts === 'string') return { artifacts: plan.artifacts };
    if (answered !== null) return null;
  }
  return null;
}
