import { Attempt } from '../../../activities/attempt.js';
import { callKeyOf } from '../../../activities/call-key.js';
import { recordOf } from '../../../activities/call-record.js';
import type { CalledModel } from '../../../activities/model-calls.js';
import type { CallIdentity, CallRecord } from '../../../contracts/language-model.js';
import { noStepCost } from '../../../runtime/step-cost.js';
import type { UserTurn, UserTurnInput } from '../contracts.js';
import { readUserMessage, simulatedUserPrompt, userMove } from '../rollouts/simulated-user.js';
import { FAULT_SENTENCES, type UserFaultContext, userFault } from '../rollouts/user-faults.js';
import type { AgentEvalContext, AgentEvalContexts, OpenRollout } from './agent-eval-context.js';
import type { RolloutCalls } from './rollout-calls.js';
import { userCall } from './rollout-names.js';

/** Model name in the record of a person's message. */
export const HUMAN = 'human';

/** Creates the record of a person's message: a call that cost nothing. */
function recordOfPerson(call: CallIdentity, said: string): CallRecord {
  const request = { messages: [], parameters: {}, call };
  return recordOf(request, {
    key: callKeyOf(HUMAN, request),
    reply: { text: said, finish_reason: 'stop' },
    model: HUMAN,
    cost_usd: 0,
    latency_ms: 0,
    failures: 0,
    cutOff: { crashes: 0, sent: 0 },
    cached: false,
  });
}

/** Creates the activity that obtains the user's next message, from a model that plays the user or from a person. */
export function createUserTurn(contexts: AgentEvalContexts, calls: RolloutCalls) {
  async function heard(context: AgentEvalContext, input: UserTurnInput, said: string): Promise<UserTurn> {
    const record = await calls.keep(context, recordOfPerson(userCall(input, input.place), said));
    const { messages } = await context.conversations.at(await context.rollout(input), input.place);
    const kind = userMove(readUserMessage(record.text, context.stopToken), messages);
    return { kind, ...noStepCost() };
  }

  /** Lists the faults of the earlier attempts at this message, as sentences for the next one. */
  async function earlierFaults(
    context: AgentEvalContext,
    input: UserTurnInput,
    heard: Pick<UserFaultContext, 'messages' | 'part'>,
  ): Promise<string[]> {
    const tries = Array.from({ length: input.place.user_faults }, async (_, user_faults) => {
      const call = await context.calls.at(userCall(input, { ...input.place, user_faults }));
      const fault = call === null ? null : faultOf(context, input, call.record, heard);
      return fault === null ? [] : [FAULT_SENTENCES[fault]];
    });
    return (await Promise.all(tries)).flat();
  }

  function faultOf(
    { stopToken }: AgentEvalContext,
    { place }: UserTurnInput,
    record: CallRecord,
    heard: Pick<UserFaultContext, 'messages' | 'part'>,
  ) {
    return userFault(record, { ...heard, agentHasReplied: place.agent_turns > 0, stopToken });
  }

  async function simulate(
    context: AgentEvalContext,
    user: CalledModel,
    { input, rollout, attempt }: { input: UserTurnInput; rollout: OpenRollout; attempt: Attempt },
  ): Promise<UserTurn> {
    const { stopToken } = context;
    const { messages } = await context.conversations.at(rollout, input.place);
    const part = rollout.stored.row.sim_user_prompt ?? '';
    const said = async () => {
      const faults = await earlierFaults(context, input, { messages, part });
      return { messages: simulatedUserPrompt(part, messages, { stopToken, faults }) };
    };
    const record = await calls.ask(context, user, userCall(input, input.place), said, attempt);
    const cost = attempt.costOf(record);
    const fault = faultOf(context, input, record, { messages, part });
    if (fault !== null) {
      const { row, rollout: number, place } = input;
      context
        .log('rollout')
        .warn({ sample: row, trial: number, message: place.user_turns, fault }, 'faulty simulated user');
      return { kind: 'faulty', fault, ...cost };
    }
    return { kind: userMove(readUserMessage(record.text, stopToken), messages), ...cost };
  }

  async function take(input: UserTurnInput, attempt: Attempt): Promise<UserTurn> {
    const context = await contexts.get(input.run);
    if (input.said !== null) return heard(context, input, input.said);
    if (context.user === null) throw new Error(`nobody answers in ${input.row}: the config names no user`);
    return simulate(context, context.user, { input, rollout: await context.rollout(input), attempt });
  }

  return (input: UserTurnInput): Promise<UserTurn> =>
    Attempt.run((attempt) => take(input, attempt), input.before);
}
