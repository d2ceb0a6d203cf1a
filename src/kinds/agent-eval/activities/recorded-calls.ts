import type { CallStore } from '../../../activities/call-store.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { USER_ATTEMPTS } from '../rollouts/rollout.js';
import { agentCall, type NamedRollout, userCall } from './rollout-names.js';

/** Returns the recorded replies of the agent, in order. */
export async function agentCalls(calls: CallStore, rollout: NamedRollout): Promise<CallRecord[]> {
  const found: CallRecord[] = [];
  for (;;) {
    const call = await calls.at(agentCall(rollout, found.length));
    if (call === null) return found;
    found.push(call.record);
  }
}

/** Returns the recorded attempts at the user's message of this number; none follows an accepted one. */
export async function userTries(
  calls: CallStore,
  rollout: NamedRollout,
  user_turns: number,
): Promise<CallRecord[]> {
  const found: CallRecord[] = [];
  while (found.length < USER_ATTEMPTS) {
    const call = await calls.at(userCall(rollout, { user_turns, user_faults: found.length }));
    if (call === null) break;
    found.push(call.record);
  }
  return found;
}

/** Returns the recorded calls of agent and user in a rollout, rejected attempts included, in order of time. */
export async function recordedCalls(calls: CallStore, rollout: NamedRollout): Promise<CallRecord[]> {
  const found = await agentCalls(calls, rollout);
  for (let user_turns = 0; ; user_turns++) {
    const tries = await userTries(calls, rollout, user_turns);
    if (tries.length === 0) break;
    found.push(...tries);
  }
  return found.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}
