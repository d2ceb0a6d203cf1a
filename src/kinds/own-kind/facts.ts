import { type Fact, lineFacts, scoreFact, textFact } from '../../facts/fact.js';
import { changeFacts, unitsFact } from '../../facts/frame.js';
import type { KindFacts } from '../../facts/kind-facts.js';
import { scoreFacts } from '../../facts/score-facts.js';
import type { OwnKindMetrics, OwnKindProgress } from './contracts.js';

function facts(progress: OwnKindProgress): Fact[] {
  const { kind_name, scores, metrics } = progress;
  return [
    ...(kind_name === '' ? [] : [textFact('kind_name', kind_name, { label: 'kind' })]),
    unitsFact(progress),
    ...scoreFacts(metrics?.scores ?? scores, metrics?.samples, { brief: 'always' }),
    ...(metrics === null ? [] : [...figureFacts(metrics), ...changeFacts(metrics.code_changes, 'samples')]),
    ...lineFacts('in_words', progress.means ?? [], { label: 'in words' }),
  ];
}

function figureFacts({ figures, figures_error }: OwnKindMetrics): Fact[] {
  return [
    ...Object.entries(figures).map(([name, figure]) => scoreFact(`figure:${name}`, figure, { label: name })),
    ...(figures_error === undefined
      ? []
      : [textFact('figures_error', figures_error, { label: 'no figures' })]),
  ];
}

/** Facts of an experiment of a user's own kind: samples, and their scores. */
export const OWN_KIND_FACTS: KindFacts<OwnKindProgress> = {
  facts,
  judged: ({ samples, errors }) => ({ what: 'sample', judged: samples, errors, of: samples + errors }),
  atEnd: ({ kind_name, models, samples, samples_planned, errors, scores }) => ({
    models,
    units: { noun: 'sample', planned: samples_planned, ended: samples + errors, running: 0 },
    kind_name,
    scores: Object.fromEntries(
      Object.entries(scores).map(([name, { mean, is_share }]) => [name, { mean, is_share }]),
    ),
  }),
};
