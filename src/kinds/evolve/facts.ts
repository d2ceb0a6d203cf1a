import {
  addressFacts,
  countFact,
  type Fact,
  type LineValue,
  labelOf,
  scoreFact,
  tableFacts,
  textFact,
} from '../../facts/fact.js';
import { changeFacts, unitsFact } from '../../facts/frame.js';
import type { KindFacts } from '../../facts/kind-facts.js';
import { plainText } from '../../facts/text.js';
import { scoreText } from '../../statistics/figure-text.js';
import type { ScaffoldNode } from './contracts.js';
import { compareScaffoldIds } from './evolution/ids.js';
import { latestScore } from './evolution/lineage.js';
import type { EvolveMetrics, EvolveProgress } from './results.js';

function facts(progress: EvolveProgress): Fact[] {
  const { units, best, metrics, nodes = [], executions, executions_failed, artifacts } = progress;
  // Iterations count from 0; after the last one comes the closing, which validates and tests.
  const current = units.ended < units.planned ? `iteration ${units.ended}` : 'the closing one';
  return [
    unitsFact(
      { units: { ...units, running: null } },
      units.running === 1 ? `${current} in progress` : 'the first one included',
    ),
    scoreFact('best_score', best?.score ?? null, {
      note: best === null ? 'nothing was validated' : `validation, of scaffold ${best.id}`,
      brief: 'some',
    }),
    ...(metrics === null ? [] : endedFacts(metrics, artifacts)),
    countFact('executions', executions, {
      noun: 'execution',
      note: `${executions_failed} failed`,
      brief: 'always',
    }),
    ...scaffoldFacts(nodes),
  ];
}

function endedFacts(metrics: EvolveMetrics, artifacts: string): Fact[] {
  const { best, scaffolds, scaffolds_failed, scaffolds_unscored, scaffolds_duplicate } = metrics;
  const lost = [
    ...(scaffolds_failed === 0 ? [] : [`${scaffolds_failed} failed`]),
    ...(scaffolds_unscored === 0 ? [] : [`${scaffolds_unscored} given up without a score`]),
    ...(scaffolds_duplicate === 0 ? [] : [`${scaffolds_duplicate} duplicates`]),
  ];
  return [
    ...(best === null ? [] : bestFacts(best, artifacts)),
    textFact('best_by_iteration', bestByIteration(metrics)),
    countFact('scaffolds', scaffolds, { note: lost.join(', ') }),
    ...changeFacts(metrics.code_changes, 'iterations'),
    textFact('domain', metrics.domain),
    textFact('selection', labelOf(metrics.selection)),
    textFact('seed', String(metrics.seed)),
  ];
}

function bestFacts(
  { test_score, metrics = {}, metrics_of, path }: NonNullable<EvolveMetrics['best']>,
  artifacts: string,
): Fact[] {
  const measured = metrics_of === undefined ? '' : `, ${metrics_of.runs} of ${metrics_of.of} runs`;
  return [
    ...(test_score === null
      ? []
      : [scoreFact('test_score', test_score, { note: 'of the same scaffold; no part in the choice' })]),
    ...Object.entries(metrics).map(([name, mean]) =>
      scoreFact(`best_metric:${name}`, mean, { label: name, note: `of the same scaffold${measured}` }),
    ),
    ...addressFacts('best_scaffold', artifacts === '' ? '' : `${artifacts}/${path}`),
  ];
}

/** Returns `0: –, 1: 0.25, closing: 0.5`. */
function bestByIteration({ best, best_by_iteration, iterations, status }: EvolveMetrics): string {
  const scores = best_by_iteration.map(
    (score, iteration) => `${iteration}: ${plainText({ kind: 'score', score })}`,
  );
  if (best !== null && best.iteration >= iterations) {
    scores.push(`${status === 'done' ? 'closing' : best.iteration}: ${scoreText(best.score)}`);
  }
  return scores.join(', ');
}

/** Lists the scaffolds so far, the newest last. */
function scaffoldFacts(nodes: readonly ScaffoldNode[]): Fact[] {
  const sorted = [...nodes].sort(
    (left, right) => left.iteration - right.iteration || compareScaffoldIds(left.id, right.id),
  );
  return tableFacts(
    'scaffold_table',
    {
      head: ['iteration', 'scaffold', 'parent', 'train', 'valid', 'cost'],
      rows: sorted.map((node) => [
        { kind: 'count', count: node.iteration },
        { kind: 'text', text: node.id },
        { kind: 'text', text: node.parent_scaffold_id ?? '–' },
        { kind: 'score', score: latestScore(node.train)?.score ?? null },
        validationOf(node),
        node.cost_usd === undefined ? { kind: 'text', text: '–' } : { kind: 'money', dollars: node.cost_usd },
      ]),
      live: true,
    },
    { label: 'scaffolds' },
  );
}

function validationOf({ status, valid, duplicate_of }: ScaffoldNode): LineValue {
  if (status === 'failed') return { kind: 'text', text: 'failed' };
  if (status === 'unscored') return { kind: 'text', text: 'given up' };
  if (status !== 'duplicate') return { kind: 'score', score: latestScore(valid)?.score ?? null };
  return { kind: 'text', text: duplicate_of === undefined ? 'duplicate' : `same as ${duplicate_of}` };
}

/** Counts scaffolds that were given up without a score as errors: those that failed are none. */
export function unscoredErrors(unscored: number): Pick<EvolveMetrics, 'errors' | 'errors_by_type'> {
  return { errors: unscored, errors_by_type: unscored === 0 ? {} : { scaffold_unscored: unscored } };
}

/** Returns what an iteration has made, for its own page in the Temporal UI. */
export function iterationFacts(
  nodes: readonly ScaffoldNode[],
  { executions, executions_failed }: Pick<EvolveProgress, 'executions' | 'executions_failed'>,
): Fact[] {
  return [
    ...scaffoldFacts(nodes),
    countFact('executions', executions, { note: `${executions_failed} failed` }),
  ];
}

/** Facts of an evolution: iterations, and the scaffolds that they make. */
export const EVOLVE_FACTS: KindFacts<EvolveProgress> = {
  facts,
  judged: ({ best, executions, scaffolds, scaffolds_failed, scaffolds_unscored }) => {
    // Without any execution nothing was to be validated: scaffolds were requested, and made.
    const isJudged = best !== null || executions === 0;
    const judged = isJudged ? scaffolds - scaffolds_failed - scaffolds_unscored : 0;
    return { what: 'scaffold', judged, errors: scaffolds_unscored, of: scaffolds };
  },
  atEnd: ({ scaffolder_model, executor_model, num_iterations, iterations, best, ...metrics }) => ({
    models: { scaffolder: scaffolder_model, executor: executor_model },
    units: { noun: 'iteration', planned: num_iterations + 1, ended: iterations, running: 0 },
    best: best === null ? null : { id: best.id, score: best.score },
    executions: metrics.executions,
    executions_failed: metrics.executions_failed,
  }),
};
