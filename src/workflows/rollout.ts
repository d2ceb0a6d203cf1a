import { continueAsNew, setHandler } from '@temporalio/workflow';
import type { RolloutControl, RolloutInput, RolloutResult } from '../contracts/agent-eval.js';
import { assertNotCancelled } from './continuation.js';
import { grantSignal, replyUpdate, rolloutControlSignal, rolloutProgressQuery } from './messages.js';
import { RolloutSession } from './rollout-session.js';

/**
 * One conversation of an agent with its tools and its user, step by step. Continues as new between two replies of the
 * agent when its history grows long.
 */
export async function rollout(input: RolloutInput): Promise<RolloutResult> {
  const session = new RolloutSession(input);
  setHandler(rolloutProgressQuery, () => session.progress());
  setHandler(rolloutControlSignal, (control: RolloutControl) => session.setControl(control));
  setHandler(grantSignal, (calls: number) => session.grant(calls));
  setHandler(replyUpdate, (text: string) => session.reply(text), {
    validator: (text: string) => session.assertWaiting(text),
  });
  const result = await session.run();
  if (result !== null) return result;
  assertNotCancelled();
  return continueAsNew<typeof rollout>(session.carriedInput());
}
