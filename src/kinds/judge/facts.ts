import { countFact, type Fact, lineFacts, rateFact, scoreFact, textFact } from '../../facts/fact.js';
import { unitsFact } from '../../facts/frame.js';
import type { KindFacts } from '../../facts/kind-facts.js';
import type { JudgeMetrics, JudgeProgress } from './contracts.js';

function facts(progress: JudgeProgress): Fact[] {
  const { name, mean_scores, malformed_replies, metrics } = progress;
  return [
    ...(name === '' ? [] : [textFact('name', name, { label: 'judgement' })]),
    unitsFact(
      progress,
      metrics === null ? null : `${metrics.steps} judged, of ${metrics.trajectories} trajectories`,
    ),
    ...Object.entries(mean_scores).map(([criterion, score]) => {
      const { interval, stderr, range } = metrics?.scores[criterion] ?? {};
      return scoreFact(`mean_score:${criterion}`, score, {
        label: `mean ${criterion}`,
        interval,
        stderr,
        note: range === undefined ? undefined : `of ${range.join(' to ')}`,
        brief: 'always',
      });
    }),
    ...(metrics === null ? [] : endedFacts(metrics)),
    countFact('malformed_replies', malformed_replies, { brief: 'some' }),
    ...lineFacts('in_words', progress.means ?? [], { label: 'in words' }),
  ];
}

function endedFacts(metrics: JudgeMetrics): Fact[] {
  const { rubric, show_reward, episodes_judged: judged, episodes_succeeded } = metrics;
  return [
    textFact('rubric', rubric, { note: `rewards ${show_reward ? 'shown' : 'withheld'}` }),
    ...(judged > 0
      ? [
          rateFact('success_rate', metrics.success_rate, {
            label: 'successes',
            interval: metrics.success_rate_interval,
            stderr: metrics.success_rate_stderr,
            note: `${episodes_succeeded} of ${judged} trajectories judged as a whole`,
          }),
        ]
      : []),
  ];
}

/** Facts of a judgement: its steps and their scores. */
export const JUDGE_FACTS: KindFacts<JudgeProgress> = {
  facts,
  judged: ({ steps, errors }) => ({ what: 'step', judged: steps, errors, of: steps + errors }),
  atEnd: ({ name, model, steps, steps_planned, errors, scores, malformed_replies }) => ({
    models: { judge: model },
    units: { noun: 'step', planned: steps_planned, ended: steps + errors, running: 0 },
    name,
    mean_scores: Object.fromEntries(Object.entries(scores).map(([criterion, { mean }]) => [criterion, mean])),
    malformed_replies,
  }),
};
