import { continueAsNew, setHandler } from '@temporalio/workflow';
import type { RolloutInput, RolloutResult } from '../contracts/agent-eval.js';
import { isGrant, isRolloutControl } from '../contracts/incoming.js';
import { assertNotCancelled } from './continuation.js';
import { grantSignal, replyUpdate, rolloutControlSignal, rolloutProgressQuery } from './messages.js';
import { receive } from './receive.js';
import { RolloutSession } from './rollout-session.js';
import { assertHasParent } from './started-rightly.js';

/**
 * One conversation of an agent with its tools and its user, step by step. Continues as new before a reply of the
 * agent or a tool call when its history grows long.
 */
export async function rollout(input: RolloutInput): Promise<RolloutResult> {
  assertHasParent('agentEval');
  const session = new RolloutSession(input);
  setHandler(rolloutProgressQuery, () => session.progress());
  receive(rolloutControlSignal, isRolloutControl, (control) => session.setControl(control));
  receive(grantSignal, isGrant, (calls, ask) => session.grant(calls, ask));
  setHandler(replyUpdate, (text: string) => session.reply(text), {
    validator: (text: string) => session.assertWaiting(text),
  });
  const result = await session.run();
  if (result !== null) return result;
  assertNotCancelled();
  return continueAsNew<typeof rollout>(session.carriedInput());
}
