import { isGrant } from '../../../contracts/incoming.js';
import { assertNotCancelled } from '../../../workflows/continuation.js';
import { grantSignal } from '../../../workflows/messages.js';
import { receive } from '../../../workflows/receive.js';
import { continueAsNew, setHandler } from '../../../workflows/sdk.js';
import { assertHasParent } from '../../../workflows/started-rightly.js';
import { AGENT_EVAL_ID, type RolloutInput, type RolloutResult } from '../contracts.js';
import { isRolloutControl, replyUpdate, rolloutControlSignal, rolloutProgressQuery } from './messages.js';
import { RolloutSession } from './rollout-session.js';

/**
 * Runs one conversation of an agent with its tools and its user, step by step. Continues as new before a reply of the
 * agent or a tool call when its history grows long.
 * @param attempt number of the attempt to run it in a worker's process, from 1
 */
export async function rollout(input: RolloutInput, attempt = 1): Promise<RolloutResult> {
  assertHasParent(AGENT_EVAL_ID);
  const session = new RolloutSession(input, attempt - 1);
  setHandler(rolloutProgressQuery, () => session.progress());
  receive(rolloutControlSignal, isRolloutControl, (control) => session.setControl(control));
  receive(grantSignal, isGrant, (calls) => session.onGranted(calls));
  setHandler(replyUpdate, (text: string) => session.reply(text), {
    validator: (text: string) => session.assertWaiting(text),
  });
  const result = await session.run();
  if (result !== null) return result;
  assertNotCancelled();
  return continueAsNew<typeof rollout>(session.carriedInput());
}
