import type { AskedBefore, StepCost } from '../contracts/step-cost.js';
import { CallRefusedError } from '../runtime/ports.js';
import { askAgain, costOfFailure, orFault } from './failures.js';
import { sleep } from './sdk.js';

interface Requests<Reply, Lease, Instead> {
  /** Whether the experiment has limits that requests count against: each of them is an activity then. */
  isLimited: boolean;
  /** Waits until one may be sent; false where none may. */
  leave(): Lease | false | Promise<Lease | false>;
  answered(reply: Reply, lease: Lease): void;
  /** One has ended without a reply, and has cost so much. */
  failed(cost: StepCost, error: unknown, lease: Lease): void;
  /** What the last failure comes to; it is thrown by default. */
  gaveUp?(error: unknown): Promise<Instead>;
}

/**
 * Asks a model until it answers. Where requests are limited each of them waits for leave of its own, those that the
 * provider fails to answer too; otherwise the activity repeats them by itself. Runs in flight depend on how soon each
 * step follows the one before it: what can be done at once waits for nothing.
 * @throws CallRefusedError where no request may be sent, what the last one failed of, or that `answered` threw, which is no
 *   failure of the call.
 */
export async function requestUntilAnswered<Reply, Lease, Instead = never>(
  { isLimited, leave, answered, failed, gaveUp }: Requests<Reply, Lease, Instead>,
  send: (before: { before?: AskedBefore }, lease: Lease) => Promise<Reply>,
): Promise<Reply | Instead> {
  let before: AskedBefore | undefined = isLimited ? { failures: 0, crashes: 0 } : undefined;
  for (;;) {
    const leaving = leave();
    const lease = leaving instanceof Promise ? await leaving : leaving;
    if (lease === false) throw new CallRefusedError();
    let reply: Reply;
    try {
      reply = await send(before === undefined ? {} : { before }, lease);
    } catch (error) {
      failed(costOfFailure(error), error, lease);
      const again = askAgain(error);
      if (again === null) {
        if (gaveUp === undefined) throw error;
        return await gaveUp(error);
      }
      const { pause_ms, ...asked } = again;
      before = asked;
      await sleep(pause_ms);
      continue;
    }
    orFault(() => answered(reply, lease));
    return reply;
  }
}
