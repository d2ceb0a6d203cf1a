import type { Metrics } from '../contracts/results.js';
import { intervalText, NO_MEAN_OVER_TRIALS, ofTrialText } from '../statistics/trial-figures.js';
import {
  count,
  exactFigures,
  type Figure,
  factList,
  figureTiles,
  moment,
  NOTHING,
  percentage,
  shortFigure,
  spendingFigures,
} from './figures.js';
import { type Html, html } from './html.js';
import {
  adaptationNotice,
  codeChangeNotice,
  endNotice,
  inWordsStatement,
  simulationNotice,
} from './notices.js';
import { pageHeader, section } from './page.js';

/** Title, notices, figures, and what the agent was shown of the answers. */
export function runHead(metrics: Metrics): Html {
  const confusion = Object.values(metrics.by_task).some((task) => task.confusion !== undefined);
  const header = pageHeader({
    kind: 'Run report',
    name: metrics.name,
    experiment: metrics.experiment,
    sections: {
      trials: 'Trials',
      tasks: 'Environments',
      ...(confusion ? { confusion: 'Confusion' } : {}),
      errors: 'Errors',
      samples: 'Samples',
    },
  });
  const facts = factList([
    ['model', html`<code>${metrics.model}</code>`],
    ['agent', metrics.agent.replaceAll('_', ' ')],
    ['seed', metrics.seed],
    ['started', moment(metrics.started_at)],
    ['ended', moment(metrics.ended_at)],
    ...(metrics.first_warning === undefined ? [] : [['first warning', metrics.first_warning] as const]),
    ...Object.entries(metrics.agent_metrics ?? {}).map(
      ([what, number]) => [what.replaceAll('_', ' '), number] as const,
    ),
  ]);
  const figures = html`${figureTiles([...outcomeFigures(metrics), ...workFigures(metrics), ...spendingFigures(metrics)])}
${facts}${inWordsStatement(metrics)}${exactFigures(metrics, 'metrics.json')}`;
  const notices = html`${simulationNotice(metrics.simulated)}${endNotice(metrics)}${codeChangeNotice(metrics.code_changes ?? [], 'episodes')}${adaptationNotice(metrics)}`;
  return html`${header}${notices}${section('figures', 'Figures', figures)}`;
}

function outcomeFigures(metrics: Metrics): Figure[] {
  const missing = metrics.samples !== metrics.samples_planned;
  const isTriedAgain = metrics.success_by_trial.length > 1;
  return [
    {
      name: `Accuracy${ofTrialText(metrics.accuracy_of)}`,
      value: percentage(metrics.accuracy),
      note: html`${count(metrics.correct)} correct; errors are left out`,
    },
    ...(isTriedAgain ? [meanOverTrials(metrics)] : []),
    {
      name: 'Samples',
      value: count(metrics.samples),
      note: html`${missing && html`of ${count(metrics.samples_planned)}; `}${count(metrics.episodes)} episodes`,
    },
    { name: 'Errors', value: count(metrics.errors), note: 'could not be judged; not counted as wrong' },
    { name: `Mean reward${isTriedAgain ? ' (last trial)' : ''}`, value: shortFigure(metrics.mean_reward) },
  ];
}

function meanOverTrials(metrics: Metrics): Figure {
  const { mean_over_trials: mean, mean_over_trials_interval: interval, trials_judged: judged } = metrics;
  const name = 'Mean over trials';
  if (mean === undefined) return { name, value: NOTHING, note: NO_MEAN_OVER_TRIALS };
  return {
    name,
    value: percentage(mean),
    note: html`${intervalText(interval)}; ${count(judged ?? 0)} judged trials`,
  };
}

function workFigures(metrics: Metrics): Figure[] {
  const { code_executions: programs, embeddings } = metrics;
  const figures: Figure[] = [];
  if (metrics.warnings > 0) figures.push({ name: 'Warnings', value: count(metrics.warnings) });
  if (programs !== undefined) {
    const note = html`${count(metrics.code_executions_failed ?? 0)} failed`;
    figures.push({ name: 'Programs run', value: count(programs), note });
  }
  if (embeddings !== undefined) {
    const note = html`${count(embeddings.input_tokens)} tokens, part of the totals`;
    figures.push({ name: 'Texts embedded', value: count(embeddings.texts), note });
  }
  if (metrics.lm_calls_cached > 0) {
    figures.push({
      name: 'Cached calls',
      value: count(metrics.lm_calls_cached),
      note: 'nothing was paid for them',
    });
  }
  return figures;
}
