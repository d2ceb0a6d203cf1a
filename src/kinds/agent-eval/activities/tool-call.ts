import { Context } from '@temporalio/activity';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { sinkOf } from '../../../activities/run-log.js';
import type { ToolCall } from '../../../contracts/language-model.js';
import { SqlError } from '../../../databases/sql-error.js';
import { missingFile } from '../../../storage/stored-file.js';
import { withLog } from '../../../user-code/log.js';
import { goalIn } from '../bundles/goal-in.js';
import type { DatabaseVersion, ToolCallInput, ToolTurn } from '../contracts.js';
import type { AgentEvalContext, AgentEvalContexts, OpenRollout } from './agent-eval-context.js';
import { ROLLOUT_ERRORS, rolloutError, withLastingFailures } from './rollout-failures.js';
import { agentCall } from './rollout-names.js';

async function askedFor(
  context: AgentEvalContext,
  { place, index, ...name }: ToolCallInput,
): Promise<ToolCall> {
  const reply = await context.calls.at(agentCall(name, place.agent_turns - 1));
  const call = reply?.record.tool_calls?.[index];
  if (call !== undefined) return call;
  const what = `tool call ${index + 1} of reply ${place.agent_turns} of ${name.row}, rollout ${name.rollout},`;
  throw missingFile(context.store, what, null);
}

/** Reports whether the row's goal holds in a version; null if the row has none. */
async function goalAt({ database, stored }: OpenRollout, at: DatabaseVersion): Promise<boolean | null> {
  try {
    const seed = async () => database.read(await database.begin());
    return await goalIn(await database.read(at), stored.row, seed);
  } catch (error) {
    if (!(error instanceof SqlError) && !(error instanceof TypeError)) throw error;
    throw rolloutError(ROLLOUT_ERRORS.goal, `end_goal_sql of ${stored.row.id}: ${error.message}`);
  }
}

/**
 * Creates the activity that makes a tool call of the agent's last reply on the rollout's current database version. The
 * next version and the outcome are stored before they are returned, so the call counts once, however often it is
 * attempted.
 */
export function createToolCall(contexts: AgentEvalContexts) {
  async function make(input: ToolCallInput): Promise<ToolTurn> {
    const context = await contexts.get(input.run);
    const rollout = await context.rollout(input);
    const { name, arguments: written } = await askedFor(context, input);
    const limits = {
      timeoutMs: context.config.tool_timeout_sec * 1000,
      signal: Context.current().cancellationSignal,
    };
    const about = { sample: input.row, trial: input.rollout, tool: name };
    const sink = sinkOf((component) => context.log(component), 'tool', about);
    const { outcome, to } = await rollout.database.call(
      input.place.at,
      { name, arguments: written },
      (before, place, call) =>
        withLog(sink, () => context.code.call(rollout.stored, { before, place, call }, limits)),
    );
    const goal = input.checks_goal ? await goalAt(rollout, to) : null;
    return { at: to, ok: outcome.ok, goal };
  }

  return (input: ToolCallInput): Promise<ToolTurn> =>
    heartbeating(() => withLastingFailures(() => make(input)));
}
