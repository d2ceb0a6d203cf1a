import type { Beside, Repeats, Unkept } from '../contracts/step-cost.js';
import { countedText, dollarsText } from './figure-text.js';

/** What is said after a number of calls: `, 3 with estimated tokens`. */
export function estimatedText({ lm_calls_estimated = 0 }: Beside): string {
  return lm_calls_estimated === 0 ? '' : `, ${lm_calls_estimated} with estimated tokens`;
}

/** What is said of the requests that a crash cut off: `2 repeated after a crash, 1 that may have been`. */
export function repeatedText({ lm_calls_repeated, lm_calls_maybe_repeated = 0 }: Repeats): string {
  const maybe = lm_calls_maybe_repeated === 0 ? '' : `, ${lm_calls_maybe_repeated} that may have been`;
  return `${lm_calls_repeated} repeated after a crash${maybe}`;
}

/** `3 requests, at most 1200 tokens in, 40 out and $0.0123`. */
export function unkeptText({ requests, usage, cost_usd }: Unkept): string {
  const cost = cost_usd === null ? 'an unknown cost' : dollarsText(cost_usd);
  return `${countedText(requests, 'request')}, at most ${usage.input_tokens} tokens in, ${usage.output_tokens} out and ${cost}`;
}

/** A row for what was spent beside the replies that are kept; none where nothing was. */
export function besideRows({ unkept }: Beside): [string, string][] {
  return unkept === undefined ? [] : [['replies not kept', unkeptText(unkept)]];
}
