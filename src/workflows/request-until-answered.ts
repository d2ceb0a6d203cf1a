import type { AskedBefore, StepCost } from '../contracts/step-cost.js';
import { CallRefusedError } from '../runtime/ports.js';
import { askAgain, costOfFailure, orFault } from './failures.js';
import { sleep } from './sdk.js';

interface Requests<Reply, Grant, Instead> {
  /** True if the experiment has limits on requests: each request is an activity then. */
  isLimited: boolean;
  /** Requests for the call that may have been cut off with earlier workers, booked nowhere; absent: none. */
  cutOff?: number;
  /** Waits until a request may be sent; false if none may. */
  request(): Grant | false | Promise<Grant | false>;
  answered(reply: Reply, grant: Grant): void;
  /** Called with the cost of a request that ended without a reply. */
  failed(cost: StepCost, error: unknown, grant: Grant): void;
  /** Returns a result in place of the last failure, which is thrown by default. */
  gaveUp?(error: unknown): Promise<Instead>;
}

/**
 * Requests a model until it replies. If requests are limited, each of them, including failed ones, waits for its own
 * grant; otherwise, and unless some were cut off, the activity repeats them itself. Runs in flight depend on how soon each step follows the one before
 * it: whatever can be done at once does not wait.
 * @throws CallRefusedError if no request may be sent, the failure of the last request, or an error of `answered`, which
 * is no failure of the call.
 */
export async function requestUntilAnswered<Reply, Grant, Instead = never>(
  { isLimited, cutOff = 0, request, answered, failed, gaveUp }: Requests<Reply, Grant, Instead>,
  send: (before: { before?: AskedBefore }, grant: Grant) => Promise<Reply>,
): Promise<Reply | Instead> {
  const isSingle = isLimited || cutOff > 0;
  let before: AskedBefore | undefined = isSingle
    ? { failures: 0, crashes: cutOff, ...(cutOff > 0 ? { unbooked: cutOff } : {}) }
    : undefined;
  for (;;) {
    const granting = request();
    const grant = granting instanceof Promise ? await granting : granting;
    if (grant === false) throw new CallRefusedError();
    let reply: Reply;
    try {
      reply = await send(before === undefined ? {} : { before }, grant);
    } catch (error) {
      failed(costOfFailure(error), error, grant);
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
    orFault(() => answered(reply, grant));
    return reply;
  }
}
