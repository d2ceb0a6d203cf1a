import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { CallStore } from '../../../activities/call-store.js';
import { examples } from '../../../cli/examples.js';
import { EXIT } from '../../../cli/exit.js';
import { withoutWorker } from '../../../cli/format.js';
import { printText } from '../../../cli/print.js';
import { withClient } from '../../../cli/status.js';
import { takeUpdate } from '../../../client/control.js';
import { askProgress, QUERY_TIMEOUT } from '../../../client/follow.js';
import { describeRun } from '../../../client/in-progress.js';
import { InvalidInputError } from '../../../config/errors.js';
import { openStore } from '../../../storage/open.js';
import { agentCall } from '../activities/rollout-names.js';
import { AGENT_EVAL_ID, REPLY, ROLLOUT } from '../contracts.js';
import type { AgentEvalProgress, RolloutProgress } from '../results.js';

/** Reads the agent's last message in a rollout from the store; null if there is none. */
async function lastWords(
  artifacts: string,
  { row, rollout, place }: RolloutProgress,
): Promise<string | null> {
  if (place === null || place.agent_turns === 0 || artifacts === '') return null;
  const call = agentCall({ row, rollout }, place.agent_turns - 1);
  return (await new CallStore(openStore(artifacts)).at(call))?.record.text ?? null;
}

/** A rollout that waits for a person. */
interface Waiting {
  /** Id of its workflow. */
  id: string;
  /** Last message of the agent; null if there is none. */
  said: string | null;
}

/** Returns the run of a rollout, whose own id is `run/row/number`. */
export function runOfRollout(id: string): string {
  return id.split('/').slice(0, -2).join('/');
}

export function waitingText(waiting: readonly Waiting[]): string {
  return waiting
    .map(({ id, said }) => {
      const lines = (said ?? '(nothing was said yet: you begin)').split('\n').map((line) => `  ${line}`);
      return `${id}\n${lines.join('\n')}`;
    })
    .join('\n');
}

/**
 * Returns the waiting rollout that a run's id refers to.
 * @throws InvalidInputError if there is not exactly one.
 */
export function onlyWaiting(run: string, waiting: readonly Waiting[]): Waiting {
  const [only] = waiting;
  if (only === undefined) throw new InvalidInputError(`no rollout of ${run} waits for a user now`);
  if (waiting.length === 1) return only;
  throw new InvalidInputError(
    `${waiting.length} rollouts of ${run} wait for a user; name one of them:\n${waitingText(waiting)}`,
  );
}

async function waitingOf(client: Client, run: string): Promise<Waiting[]> {
  const handle = client.workflow.getHandle(run);
  const progress = await askProgress<AgentEvalProgress>(handle, QUERY_TIMEOUT);
  if (progress === null) throw new Error(withoutWorker(run));
  const waiting: Waiting[] = [];
  const query = `WorkflowType = '${ROLLOUT}' AND ExecutionStatus = 'Running'`;
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
  if (type !== ROLLOUT && type !== AGENT_EVAL_ID) {
    throw new InvalidInputError(`'${id}' is a ${type}; only evaluations on task bundles have a user`);
  }
  if (status.name !== 'RUNNING') {
    throw new InvalidInputError(`'${id}' has ended (${status.name.toLowerCase()})`);
  }
  const isRollout = type === ROLLOUT;
  const waiting =
    isRollout && text !== undefined ? [] : await waitingOf(client, isRollout ? runOfRollout(id) : id);
  const meant = isRollout ? waiting.filter((one) => one.id === id) : waiting;
  if (text === undefined) {
    return meant.length === 0 ? `no rollout of ${id} waits for a user now` : waitingText(meant);
  }
  const to = isRollout ? id : onlyWaiting(id, meant).id;
  const handle = client.workflow.getHandle(to);
  await takeUpdate(handle, REPLY, text);
  return `${to} continues`;
}

export function addReplyCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('reply')
    .addHelpText(
      'after',
      examples(
        'reprise reply my-evaluation',
        'reprise reply my-evaluation/flight.book.001/0 "Tomorrow morning, please."',
      ),
    )
    .argument('<id>', 'a rollout’s id, or the run’s where one of its rollouts waits')
    .argument('[text]', 'what the user says; the stop token, ###STOP###, ends the conversation')
    .action(async (id: string, text: string | undefined) => {
      printText(await withClient((client) => reply(client, id, text)));
      finish(EXIT.done);
    });
}
