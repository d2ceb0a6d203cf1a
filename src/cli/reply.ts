import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { agentCall } from '../activities/agent-eval/rollout-names.js';
import { CallStore } from '../activities/call-store.js';
import { InvalidInputError } from '../config/errors.js';
import type { AgentEvalProgress, RolloutProgress } from '../contracts/agent-eval-results.js';
import { UPDATES, WORKFLOW_TYPES } from '../contracts/names.js';
import { openStore } from '../storage/open.js';
import { EXIT } from './exit.js';
import { askProgress, QUERY_TIMEOUT } from './follow.js';
import { withoutWorker } from './format.js';
import { printText } from './print.js';
import { describeRun, withClient } from './status.js';
import { takeUpdate } from './take-update.js';
import { onlyWaiting, runOfRollout, type Waiting, waitingText } from './waiting-rollouts.js';

/** What the agent said last in a rollout, from the store where its replies are kept. */
async function lastWords(
  artifacts: string,
  { row, rollout, place }: RolloutProgress,
): Promise<string | null> {
  if (place === null || place.agent_turns === 0 || artifacts === '') return null;
  const call = agentCall({ row, rollout }, place.agent_turns - 1);
  return (await new CallStore(openStore(artifacts)).at(call))?.record.text ?? null;
}

async function waitingOf(client: Client, run: string): Promise<Waiting[]> {
  const handle = client.workflow.getHandle(run);
  const progress = await askProgress<AgentEvalProgress>(handle, QUERY_TIMEOUT);
  if (progress === null) throw new Error(withoutWorker(run));
  const waiting: Waiting[] = [];
  const query = `WorkflowType = '${WORKFLOW_TYPES.rollout}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    if (runOfRollout(workflowId) !== run) continue;
    const rollout = await askProgress<RolloutProgress>(client.workflow.getHandle(workflowId), QUERY_TIMEOUT);
    if (rollout?.waiting !== true) continue;
    waiting.push({ id: workflowId, said: await lastWords(progress.artifacts, rollout) });
  }
  return waiting.sort((left, right) => left.id.localeCompare(right.id));
}

async function reply(client: Client, id: string, text: string | undefined): Promise<string> {
  const { type, status } = await describeRun(client, id);
  if (type !== WORKFLOW_TYPES.rollout && type !== WORKFLOW_TYPES.agentEval) {
    throw new InvalidInputError(`'${id}' is a ${type}; only evaluations on task bundles have a user`);
  }
  if (status.name !== 'RUNNING') {
    throw new InvalidInputError(`'${id}' has ended (${status.name.toLowerCase()})`);
  }
  const isRollout = type === WORKFLOW_TYPES.rollout;
  const waiting =
    isRollout && text !== undefined ? [] : await waitingOf(client, isRollout ? runOfRollout(id) : id);
  const meant = isRollout ? waiting.filter((one) => one.id === id) : waiting;
  if (text === undefined) {
    return meant.length === 0 ? `no rollout of ${id} waits for a user now` : waitingText(meant);
  }
  const to = isRollout ? id : onlyWaiting(id, meant).id;
  const handle = client.workflow.getHandle(to);
  await takeUpdate(handle, UPDATES.reply, text);
  return `${to} goes on`;
}

export function addReplyCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('reply')
    .description(
      'answer an agent in the place of the user (agent-eval --user human); without a text, who waits',
    )
    .argument('<id>', 'a rollout’s id, or the run’s where one of its rollouts waits')
    .argument('[text]', 'what the user says; the stop token, ###STOP###, ends the conversation')
    .action(async (id: string, text: string | undefined) => {
      printText(await withClient((client) => reply(client, id, text)));
      finish(EXIT.done);
    });
}
