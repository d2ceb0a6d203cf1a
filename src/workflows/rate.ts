import { startsUpdate } from './messages.js';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from './sdk.js';

/** What a model's rate is. */
export interface RateInput {
  /** For people. */
  model: string;
  requests_per_second: number;
}

/** It ends when nobody has asked for so long. */
const IDLE = '60s';

/**
 * Deals the starts of requests to a model, for every worker and every experiment that asks it at this rate: so many a
 * second in all, whoever sends them.
 * @param nextAt when the next one may start, in milliseconds since 1970; from the execution before.
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
