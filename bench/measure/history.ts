import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { CallRecord } from '../../src/contracts/language-model.js';
import type { Workspace } from '../workspace.js';
import { startWorker, stopWorker, until } from './command.js';

export interface HistorySize {
  events_a_sample: number;
  bytes_a_sample: number;
  /** Without the prompts, which stand in the history once a call. */
  bytes_a_sample_beside_prompt: number;
  /** Workflow executions: the run, and what it continued as. */
  executions: number;
}

export async function readCalls(folder: string): Promise<CallRecord[]> {
  const text = await readFile(join(folder, 'results', 'bench', 'calls.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as CallRecord);
}

export async function serverAddress({ folder }: Workspace): Promise<string> {
  const { port } = JSON.parse(await readFile(join(folder, '.reprise', 'server.json'), 'utf8'));
  return `127.0.0.1:${port}`;
}

/** Starts the workspace's server again after a run, and adds up the histories of all its workflows. */
export async function historySize(workspace: Workspace, samples: number): Promise<HistorySize> {
  const worker = await startWorker(workspace);
  const connection = await Connection.connect({ address: await serverAddress(workspace) });
  try {
    const client = new Client({ connection });
    const open = async () => (await client.workflow.count("ExecutionStatus = 'Running'")).count;
    await until('every workflow is closed', async () => (await open()) === 0);
    let [events, bytes, executions] = [0, 0, 0];
    for await (const { workflowId, runId } of client.workflow.list()) {
      const { historyLength, historySize: size } = await client.workflow
        .getHandle(workflowId, runId)
        .describe();
      events += historyLength;
      bytes += size ?? 0;
      executions += 1;
    }
    const prompts = (await readCalls(workspace.folder)).reduce(
      (sum, { messages }) => sum + Buffer.byteLength(JSON.stringify(messages)),
      0,
    );
    return {
      events_a_sample: events / samples,
      bytes_a_sample: bytes / samples,
      // With bundles, a history has no prompts.
      bytes_a_sample_beside_prompt: Math.max(0, bytes - prompts) / samples,
      executions,
    };
  } finally {
    await connection.close();
    await stopWorker(worker);
  }
}
