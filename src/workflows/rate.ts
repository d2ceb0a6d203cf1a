import { startsUpdate } from './messages.js';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from './sdk.js';

/** Rate of a model. */
export interface RateInput {
  /** Name for people. */
  model: string;
  requests_per_second: number;
}

/** Time without a request after which the workflow ends. */
const IDLE = '60s';

/**
 * Grants the starts of requests to a model, for all workers and experiments that use it at this rate: the rate holds
 * for all of them together.
 * @param nextAt time of the next start, in milliseconds since 1970; from the execution before.
 */
export async function rate(input: RateInput, nextAt = 0): Promise<void> {
  const { model, requests_per_second } = input;
  let next = nextAt;
  let dealt = 0;
  setHandler(
    startsUpdate,
    (count) => {
      const first = Math.max(Date.now(), next);
      next = first + (count * 1000) / requests_per_second;
      dealt += count;
      return first - Date.now();
    },
    {
      validator: (count) => {
        if (!Number.isInteger(count) || count < 1)
          throw new TypeError('starts: a whole number of at least 1');
      },
    },
  );
  setCurrentDetails(`Starts of requests to ${model}: ${requests_per_second} a second.`);
  for (let before = -1; dealt !== before || Date.now() < next; ) {
    before = dealt;
    await condition(() => workflowInfo().continueAsNewSuggested, IDLE);
    if (!workflowInfo().continueAsNewSuggested) continue;
    await condition(allHandlersFinished);
    await continueAsNew<typeof rate>(input, next);
  }
}
