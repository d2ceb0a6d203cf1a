import { printableLine } from '../../contracts/printable.js';
import {
  countFact,
  type Fact,
  type LineValue,
  labelOf,
  lineFacts,
  moneyFact,
  rateFact,
  scoreFact,
  tableFacts,
  textFact,
} from '../../facts/fact.js';
import { changeFacts, clusterFacts, unitsFact } from '../../facts/frame.js';
import { SHOWN_GROUPS } from '../../facts/group-table.js';
import type { KindFacts } from '../../facts/kind-facts.js';
import { scoreFacts } from '../../facts/score-facts.js';
import { estimateCells, UNCERTAINTY_HEADS } from '../../facts/uncertainty.js';
import { countedText, percentText, pointsText } from '../../statistics/figure-text.js';
import type { RunProgress } from './contracts.js';
import { groupFacts } from './group-facts.js';
import type { Known, Metrics } from './results.js';
import { ofTrialText } from './trial-figures.js';

/** Reason why there is no mean over trials: samples with a success have fewer trials, so they are not comparable. */
const NO_MEAN_OVER_TRIALS = 'a success ends the trials of its sample';

function facts(progress: RunProgress): Fact[] {
  const { units, correct, errors, episodes, accuracy, accuracy_of, metrics } = progress;
  return [
    unitsFact(
      progress,
      countedText(episodes, 'episode'),
      metrics?.epochs === undefined ? null : `${metrics.epochs} epochs of each`,
    ),
    rateFact('accuracy', accuracy, {
      label: `accuracy${ofTrialText(accuracy_of)}`,
      note: `${correct} of ${countedText(units.ended - errors, 'judged sample')}`,
      brief: 'always',
      interval: metrics?.accuracy_interval,
      stderr: metrics?.accuracy_stderr,
    }),
    ...knownFacts(metrics?.known),
    ...(metrics === null ? [] : endedFacts(metrics)),
    ...lineFacts('in_words', metrics?.in_words ?? progress.means ?? [], { label: 'in words' }),
  ];
}

/** Formats `71.2 % [69.3, 73.2]`, or a difference in points. */
export function knownText({ estimate, interval, against }: Known): string {
  const bounds = interval.map((bound) => (100 * bound).toFixed(1)).join(', ');
  return `${against === undefined ? percentText(estimate) : pointsText(estimate)} [${bounds}]`;
}

/** Returns the figure by which `limits.stop_when` ends a run: unlike the others, it may be looked at at any time. */
function knownFacts(known: Metrics['known']): Fact[] {
  if (known === undefined) return [];
  const { score, samples, against } = known;
  const label = `known of ${score}${against === undefined ? '' : ` against ${against}`}`;
  const note = `the first ${countedText(samples, 'judged sample')} in order; the interval holds wherever the run stops`;
  return [textFact('known', knownText(known), { label, note })];
}

function endedFacts(metrics: Metrics): Fact[] {
  const { warnings, first_warning, code_executions, code_executions_failed = 0, embeddings } = metrics;
  return [
    ...trialFacts(metrics),
    scoreFact('mean_reward', metrics.mean_reward, {
      label: `mean reward${ofTrialText(metrics.accuracy_of)}`,
      interval: metrics.mean_reward_interval,
      stderr: metrics.mean_reward_stderr,
    }),
    ...reducerFacts(metrics),
    ...scoreReducerFacts(metrics),
    ...scoreFacts(metrics.scores ?? {}, metrics.samples - metrics.errors),
    ...scorerFacts(metrics),
    ...clusterFacts(metrics.clustered_by, metrics.figure_warnings),
    ...changeFacts(metrics.code_changes, 'episodes'),
    ...(warnings === 0
      ? []
      : [
          countFact('warnings', warnings, {
            note: first_warning === undefined ? undefined : `the first: ${printableLine(first_warning)}`,
          }),
        ]),
    ...Object.entries(metrics.agent_metrics ?? {}).map(([what, count]) =>
      countFact(`agent_metric:${what}`, count, { label: labelOf(what) }),
    ),
    ...(code_executions === undefined
      ? []
      : [
          countFact('code_executions', code_executions, {
            label: 'programs run',
            note: `${code_executions_failed} failed`,
          }),
        ]),
    ...(embeddings === undefined ? [] : embeddingFacts(embeddings)),
    textFact('agent', labelOf(metrics.agent)),
    textFact('seed', String(metrics.seed)),
    ...purposeFacts(metrics),
    ...groupFacts(metrics, SHOWN_GROUPS),
    ...Object.entries(metrics.by_task).flatMap(([task, { confusion }]) =>
      confusion === undefined ? [] : confusionFacts(task, confusion),
    ),
  ];
}

/** Returns how many answers scorers could not score, and how far scores agree with labels. */
function scorerFacts({ unscored = {}, agreement = {} }: Metrics): Fact[] {
  const rows = Object.entries(agreement).map(
    ([name, { samples, accuracy, kappa, alpha, level }]): LineValue[] => [
      { kind: 'text', text: name },
      { kind: 'count', count: samples },
      { kind: 'rate', rate: accuracy },
      { kind: 'score', score: kappa },
      { kind: 'score', score: alpha },
      { kind: 'text', text: level },
    ],
  );
  const head = ['scorer', 'labels', 'same', 'Cohen’s kappa', 'Krippendorff’s alpha', 'level'];
  return [
    ...Object.entries(unscored).map(([name, samples]) =>
      countFact(`unscored:${name}`, samples, {
        label: `unscored by ${name}`,
        note: 'in no mean; results.jsonl has the reasons',
      }),
    ),
    ...tableFacts('agreement', { head, rows }, { label: 'agreement with labels' }),
  ];
}

/** Returns a table of calls by their purpose; none where all are of one. */
function purposeFacts({ calls_by_purpose = {} }: Metrics): Fact[] {
  const rows = Object.entries(calls_by_purpose).map(
    ([purpose, { lm_calls, usage, cost_usd }]): LineValue[] => [
      { kind: 'text', text: purpose },
      { kind: 'count', count: lm_calls },
      { kind: 'count', count: usage.input_tokens },
      { kind: 'count', count: usage.output_tokens },
      { kind: 'money', dollars: cost_usd },
    ],
  );
  return tableFacts(
    'calls_by_purpose',
    { head: ['purpose', 'LM calls', 'tokens in', 'out', 'cost'], rows },
    { label: 'calls by purpose' },
  );
}

/** Returns success by trial and the mean over trials; empty if there is only one trial. */
function trialFacts({ success_by_trial, accuracy_of, ...metrics }: Metrics): Fact[] {
  if (success_by_trial.length < 2) return [];
  const { mean_over_trials: mean, trials_judged = 0 } = metrics;
  const rows = success_by_trial.map((rate, trial): LineValue[] => [
    { kind: 'count', count: trial + 1 },
    ...estimateCells({
      kind: 'rate',
      rate,
      // Metrics of earlier versions have neither.
      stderr: metrics.success_by_trial_stderr?.[trial],
      interval: metrics.success_by_trial_interval?.[trial],
    }),
    { kind: 'count', count: metrics.correct_by_trial[trial] ?? 0 },
  ]);
  return [
    ...tableFacts(
      'success_by_trial',
      { head: ['trial', 'success', ...UNCERTAINTY_HEADS, 'correct'], rows },
      // After a success that ends the trials, later ones count as successes, too.
      { label: `success by trial${accuracy_of === 'any_trial' ? ' (any so far)' : ''}` },
    ),
    rateFact('mean_over_trials', mean ?? null, {
      interval: metrics.mean_over_trials_interval,
      stderr: metrics.mean_over_trials_stderr,
      note: mean === undefined ? NO_MEAN_OVER_TRIALS : countedText(trials_judged, 'judged trial'),
    }),
  ];
}

/** Returns a table of what the epochs of samples are reduced to; none with one epoch. */
function reducerFacts({ reducers = {} }: Metrics): Fact[] {
  const rows = Object.entries(reducers).map(([reducer, { samples, mean, stderr, interval }]): LineValue[] => [
    { kind: 'text', text: reducer },
    { kind: 'count', count: samples },
    ...estimateCells({ kind: 'rate', rate: mean, stderr, interval }),
  ]);
  const ties = reducers.mode?.ties ?? 0;
  const notes =
    ties === 0
      ? []
      : [
          `mode: of ${countedText(ties, 'sample')}, several answers were the most frequent; the first seen counts.`,
        ];
  return tableFacts(
    'reducers',
    { head: ['over epochs', 'samples', 'accuracy', ...UNCERTAINTY_HEADS], rows, notes },
    { label: 'accuracy over the epochs of a sample' },
  );
}

/** Returns a table of the same of each score that is true or false; none with one epoch. */
function scoreReducerFacts({ score_reducers = {} }: Metrics): Fact[] {
  const rows = Object.entries(score_reducers).flatMap(([score, reducers]) =>
    Object.entries(reducers).map(([reducer, { samples, mean, stderr, interval }]): LineValue[] => [
      { kind: 'text', text: score },
      { kind: 'text', text: reducer },
      { kind: 'count', count: samples },
      ...estimateCells({ kind: 'rate', rate: mean, stderr, interval }),
    ]),
  );
  return tableFacts(
    'score_reducers',
    { head: ['score', 'over epochs', 'samples', 'share', ...UNCERTAINTY_HEADS], rows },
    { label: 'scores over the epochs of a sample' },
  );
}

function embeddingFacts({
  texts,
  input_tokens,
  estimated = 0,
  cost_usd,
}: NonNullable<Metrics['embeddings']>): Fact[] {
  const guess = estimated === 0 ? '' : `, ${countedText(estimated, 'request')} with estimated tokens`;
  return [
    countFact('texts_embedded', texts, { note: `${input_tokens} tokens, part of the totals${guess}` }),
    moneyFact('cost_of_embeddings', cost_usd),
  ];
}

function confusionFacts(task: string, confusion: Record<string, Record<string, number>>): Fact[] {
  const answers = [...new Set(Object.values(confusion).flatMap((counts) => Object.keys(counts)))].sort();
  const rows = Object.entries(confusion).map(([target, counts]) => [
    { kind: 'text' as const, text: target },
    ...answers.map((answer) => ({
      kind: 'count' as const,
      count: Object.hasOwn(counts, answer) ? (counts[answer] as number) : 0,
    })),
  ]);
  return tableFacts(
    'confusion',
    { head: ['target \\ answered', ...answers], rows },
    {
      label: `${task}, target letter by answered letter`,
    },
  );
}

/** Facts of a run: its samples, and how many of them were answered correctly. */
export const RUN_FACTS: KindFacts<RunProgress> = {
  facts,
  judged: ({ samples, errors }) => ({ what: 'sample', judged: samples - errors, errors, of: samples }),
  atEnd: ({ model, samples, samples_planned, correct, episodes, accuracy, accuracy_of }) => ({
    models: { model },
    units: { noun: 'sample', planned: samples_planned, ended: samples, running: 0 },
    correct,
    episodes,
    accuracy,
    accuracy_of,
  }),
};
