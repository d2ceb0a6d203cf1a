import type { Limits } from '../contracts/experiment.js';
import type { ExperimentProgress, Spent } from '../contracts/progress.js';
import type { ErrorCause, ExperimentMetrics } from '../contracts/results.js';
import type { Unkept } from '../contracts/step-cost.js';
import { errorLines, errorText } from '../statistics/error-lines.js';
import { countedText, dollarsText, durationText } from '../statistics/figure-text.js';
import {
  addressFacts,
  countFact,
  durationFact,
  type Fact,
  lineFacts,
  moneyFact,
  stateFact,
  textFact,
} from './fact.js';

/** How an experiment stands, and with which models. */
export function openingFacts({ phase, message, models, simulated }: ExperimentProgress): Fact[] {
  return [
    stateFact(phase, message),
    ...Object.entries(models).map(([role, model], index) =>
      textFact(role, model ?? 'none', {
        note: simulated && index === 0 ? 'a simulation: no benchmark figure' : undefined,
      }),
    ),
  ];
}

/** How many units have come to an end. @param notes what else is known of them */
export function unitsFact(
  { units: { noun, ended, planned, running } }: Pick<ExperimentProgress, 'units'>,
  ...notes: (string | null)[]
): Fact {
  const all = [...notes, running === null || running === 0 ? null : `${running} running`];
  return countFact(`${noun}s`, ended, {
    of: planned,
    noun,
    note: all.filter((note) => note !== null).join(', '),
    brief: 'always',
  });
}

/** What the metrics of every kind have, and those of a run. */
type EndedMetrics = ExperimentMetrics & { lm_calls_cached?: number };

/** How many units could not be judged, and why; what an experiment has spent; where it writes. */
export function closingFacts(progress: ExperimentProgress): Fact[] {
  const { errors, limits, concurrency, artifacts } = progress;
  const metrics = progress.metrics as EndedMetrics | null;
  return [
    countFact('errors', errors, {
      noun: 'error',
      note: errors === 0 ? undefined : 'could not be judged: in no rate',
      brief: 'some',
    }),
    ...lineFacts('error_causes', causeLines(progress.errors_by_type, metrics?.error_causes), {
      label: `errors by ${metrics?.error_causes === undefined ? 'type' : 'cause, each with its first message'}`,
    }),
    ...(metrics === null ? [] : callFacts(metrics)),
    ...spendingFacts(progress.spending, metrics?.lm_calls_cached),
    ...limitFacts(limits),
    ...(metrics === null
      ? [countFact('concurrency', concurrency)]
      : [durationFact('wall_seconds', metrics.wall_seconds, { label: 'time' })]),
    ...addressFacts('artifacts', artifacts),
  ];
}

/** What was spent, whoever it was. @param cached calls that were answered from the shared cache */
export function spendingFacts(spending: Spent, cached = 0): Fact[] {
  const { lm_calls, lm_calls_estimated = 0, usage, cost_usd, unkept } = spending;
  const { output_tokens, reasoning_tokens: reasoning } = usage;
  return [
    countFact('lm_calls', lm_calls, {
      label: 'LM calls',
      noun: 'LM call',
      note: [
        ...repeatedNotes(spending),
        ...(lm_calls_estimated === 0 ? [] : [`${lm_calls_estimated} with estimated tokens`]),
        ...(cached === 0 ? [] : [`${cached} from the cache, which cost nothing`]),
      ].join(', '),
      brief: 'always',
    }),
    countFact('tokens', usage.input_tokens, {
      label: 'tokens in',
      note: `${output_tokens} out${reasoning === undefined ? '' : ` (${reasoning} reasoning)`}`,
    }),
    moneyFact('cost_usd', cost_usd, {
      label: 'cost',
      note: cost_usd === null ? 'no price for this model' : undefined,
      brief: 'some',
    }),
    ...(unkept === undefined ? [] : [unkeptFact(unkept)]),
  ];
}

/** The requests that a crash cut off: `2 repeated after a crash`, `1 that may have been`. */
function repeatedNotes({ lm_calls_repeated = 0, lm_calls_maybe_repeated = 0 }: Spent): string[] {
  if (lm_calls_repeated + lm_calls_maybe_repeated === 0) return [];
  const maybe = lm_calls_maybe_repeated === 0 ? [] : [`${lm_calls_maybe_repeated} that may have been`];
  return [`${lm_calls_repeated} repeated after a crash`, ...maybe];
}

/** A line for each cause; what the causes are of that is no error, such as programs that failed, is counted by them. */
function causeLines(counts: Readonly<Record<string, number>>, causes: readonly ErrorCause[] = []): string[] {
  const all = new Map<string, number>();
  for (const { type, count } of causes) all.set(type, (all.get(type) ?? 0) + count);
  return errorLines({ ...Object.fromEntries(all), ...counts }, causes).map(errorText);
}

/** Replies that were cut off, and how requests were sent otherwise than the config says. */
function callFacts({ cut_off, cut_off_reasoning_tokens: reasoning, adaptations = {} }: EndedMetrics): Fact[] {
  const thought = reasoning === undefined ? '' : `; ${reasoning} of their tokens were reasoning`;
  const cutOff = countFact('cut_off', cut_off, {
    label: 'cut-off replies',
    note: `at their token limit (max_output_tokens)${thought}`,
  });
  const sentences = Object.entries(adaptations).map(
    ([sentence, calls]) => `${sentence} (${countedText(calls, 'call')})`,
  );
  return [
    ...(cut_off > 0 ? [cutOff] : []),
    ...lineFacts('adaptations', sentences, { label: 'sent otherwise' }),
  ];
}

/** What was spent beside the replies that are kept: nobody knows exactly how much. */
function unkeptFact({ requests, usage, cost_usd }: Unkept): Fact {
  const cost = cost_usd === null ? 'an unknown cost' : dollarsText(cost_usd);
  return countFact('unkept', requests, {
    label: 'replies not kept',
    note: `at most ${usage.input_tokens} tokens in, ${usage.output_tokens} out and ${cost}`,
  });
}

function limitFacts(limits: Limits | null): Fact[] {
  if (limits === null) return [];
  const { max_cost_usd, max_lm_calls, max_tokens, max_wall_seconds } = limits;
  const parts = [
    max_cost_usd === null ? null : dollarsText(max_cost_usd),
    max_lm_calls === null ? null : countedText(max_lm_calls, 'LM call'),
    max_tokens === null ? null : countedText(max_tokens, 'token'),
    max_wall_seconds === null ? null : durationText(max_wall_seconds),
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [textFact('limits', `at most ${parts.join(', ')}`)];
}

/** That the user's own code, or a price, was not the same all along. @param what is counted: `episodes`, for one */
export function changeFacts<What extends string>(
  changes: readonly (Record<What, number> & { modules: string[] })[] = [],
  what: What,
): Fact[] {
  return changes.map((change) =>
    textFact('code_changes', `${change.modules.join(', ')}, after ${change[what]} of the ${what}`, {
      label: 'changed meanwhile',
    }),
  );
}
