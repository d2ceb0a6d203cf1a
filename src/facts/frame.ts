import type { Limits } from '../contracts/experiment.js';
import type { ExperimentProgress, Spent } from '../contracts/progress.js';
import type { ErrorCause, ExperimentMetrics } from '../contracts/results.js';
import type { Unrecorded } from '../contracts/step-cost.js';
import { errorLines, errorText } from '../statistics/error-lines.js';
import { countedText, dollarsText, durationText } from '../statistics/figure-text.js';
import {
  addressFacts,
  countFact,
  durationFact,
  type Fact,
  type FactTable,
  type LineValue,
  lineFacts,
  moneyFact,
  stateFact,
  tableFacts,
  textFact,
} from './fact.js';

/** Returns the facts of an experiment's phase and models. */
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

/** Returns the fact of the number of ended units. @param notes further texts about them */
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

/** Metrics of every kind, with a field of runs. */
type EndedMetrics = ExperimentMetrics & { lm_calls_cached?: number };

/** Returns the facts of errors and their causes, of what an experiment has spent, and of its folder. */
export function closingFacts(progress: ExperimentProgress): Fact[] {
  const { errors, limits, concurrency, artifacts } = progress;
  const metrics = progress.metrics as EndedMetrics | null;
  return [
    ...paceFacts(progress),
    countFact('errors', errors, {
      noun: 'error',
      note: errors === 0 ? undefined : 'could not be judged: in no rate',
      brief: 'some',
    }),
    ...lineFacts('error_causes', causeLines(progress.errors_by_type, metrics?.error_causes), {
      label: `errors by ${metrics?.error_causes === undefined ? 'type' : 'cause, each with its first message'}`,
    }),
    ...cutOffFacts(progress.spending, metrics),
    ...(metrics === null ? [] : adaptationFacts(metrics)),
    ...spendingFacts(progress.spending, metrics?.lm_calls_cached),
    ...tableFacts('by_role', roleTable(metrics?.by_role), { label: 'calls by role' }),
    ...limitFacts(limits),
    ...(metrics === null
      ? [countFact('concurrency', concurrency)]
      : [durationFact('wall_seconds', metrics.wall_seconds, { label: 'time' })]),
    ...addressFacts('artifacts', artifacts),
  ];
}

/** Formats a rate of at least one in ten seconds, or how long one takes: `12.5 samples/s`, `1 min 5 s a sample`. */
function rateText(perSecond: number, noun: string): string {
  if (perSecond < 0.1) return `${durationText(1 / perSecond)} a ${noun}`;
  return `${perSecond.toFixed(1)} ${noun}s/s`;
}

/** Seconds from which on a unit in progress is named, and the number of those that are. */
const LONG_SECONDS = 60;
const NAMED = 3;

/**
 * Names the units that have been in progress for longest.
 * @param units by name: when each was begun, in milliseconds since 1970, as is `now`
 */
export function longestFacts(units: Iterable<readonly [name: string, since: number]>, now: number): Fact[] {
  const long = [...units]
    .map(([name, since]) => ({ name, seconds: Math.round((now - since) / 1000) }))
    .filter(({ seconds }) => seconds >= LONG_SECONDS)
    .sort((left, right) => right.seconds - left.seconds)
    .slice(0, NAMED);
  if (long.length === 0) return [];
  const named = long.map(({ name, seconds }) => `${name} (${durationText(seconds)})`).join(', ');
  return [textFact('longest', named, { label: 'longest in progress' })];
}

function paceFacts({ pace, units: { noun, planned, ended } }: ExperimentProgress): Fact[] {
  if (pace === null || ended === planned) return [];
  const left = durationText(Math.max(Math.round(pace.seconds_left), 1)).replace(/\.0 s$/, ' s');
  return [textFact('pace', `${rateText(pace.units_per_second, noun)}, ${left} left`, { brief: 'always' })];
}

/** Returns the fact of replies that used up their token limit, if there are any. */
function cutOffFacts({ lm_calls_cut_off: count = 0 }: Spent, metrics: EndedMetrics | null): Fact[] {
  const reasoning = metrics?.cut_off_reasoning_tokens;
  const thought = reasoning === undefined ? '' : `; ${reasoning} of their tokens were reasoning`;
  const note = `at their token limit (max_output_tokens)${thought}`;
  return count === 0
    ? []
    : [
        countFact('lm_calls_cut_off', count, {
          label: 'replies cut off',
          noun: 'cut-off',
          note,
          brief: 'some',
        }),
      ];
}

/** Returns the facts of what was spent. @param cached calls that were answered from the shared cache */
export function spendingFacts(spending: Spent, cached = 0): Fact[] {
  const { lm_calls, lm_calls_estimated = 0, usage, cost_usd, unrecorded } = spending;
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
    ...(unrecorded === undefined || costsNothing(unrecorded) ? [] : [unrecordedFact(unrecorded)]),
  ];
}

/** Returns the table of what the models of each role have cost. */
function roleTable(byRole: ExperimentMetrics['by_role'] = {}): Omit<FactTable, 'kind'> {
  const rows = Object.entries(byRole).map(([role, { lm_calls, usage, cost_usd }]): LineValue[] => [
    { kind: 'text', text: role },
    { kind: 'count', count: lm_calls },
    { kind: 'count', count: usage.input_tokens },
    { kind: 'count', count: usage.output_tokens },
    { kind: 'money', dollars: cost_usd },
  ]);
  return { head: ['role', 'calls', 'tokens in', 'out', 'cost'], rows };
}

/** Describes requests that a crash interrupted: `2 repeated after a crash`, `1 that may have been`. */
function repeatedNotes({ lm_calls_repeated = 0, lm_calls_maybe_repeated = 0 }: Spent): string[] {
  if (lm_calls_repeated + lm_calls_maybe_repeated === 0) return [];
  const maybe = lm_calls_maybe_repeated === 0 ? [] : [`${lm_calls_maybe_repeated} that may have been`];
  return [`${lm_calls_repeated} repeated after a crash`, ...maybe];
}

/** Formats a line for each cause. A type that is no error, such as a failed program, is counted by its causes. */
function causeLines(counts: Readonly<Record<string, number>>, causes: readonly ErrorCause[] = []): string[] {
  const all = new Map<string, number>();
  for (const { type, count } of causes) all.set(type, (all.get(type) ?? 0) + count);
  return errorLines({ ...Object.fromEntries(all), ...counts }, causes).map(errorText);
}

/** Returns the facts of requests that were not sent, or not answered, as configured. */
function adaptationFacts({ adaptations = {} }: EndedMetrics): Fact[] {
  const sentences = Object.entries(adaptations).map(
    ([sentence, calls]) => `${sentence} (${countedText(calls, 'call')})`,
  );
  return lineFacts('adaptations', sentences, { label: 'sent or answered otherwise' });
}

/** Reports whether unrecorded requests, such as refused ones, are billed with nothing. */
function costsNothing({ usage, cost_usd }: Unrecorded): boolean {
  return usage.input_tokens + usage.output_tokens === 0 && !cost_usd;
}

/** Returns the fact of unrecorded requests, whose cost is an upper bound. */
function unrecordedFact({ requests, usage, cost_usd }: Unrecorded): Fact {
  const cost = cost_usd === null ? 'an unknown cost' : dollarsText(cost_usd);
  return countFact('unrecorded', requests, {
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

/** Returns facts of what the intervals are clustered by, and of figures that could not be computed as configured. */
export function clusterFacts(clusteredBy: string | undefined, warnings: readonly string[] = []): Fact[] {
  return [
    ...(clusteredBy === undefined
      ? []
      : [textFact('clustered_by', clusteredBy, { label: 'intervals clustered by' })]),
    ...lineFacts('figure_warnings', warnings, { label: 'warnings on figures' }),
  ];
}

/** Returns facts of changed user code or prices. @param what the counted units, such as `episodes` */
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
