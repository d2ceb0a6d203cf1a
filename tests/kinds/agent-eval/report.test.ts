import { describe, expect, test } from 'vitest';
import { agentEvalMetrics } from '../../../src/kinds/agent-eval/metrics.js';
import { agentEvalReport } from '../../../src/kinds/agent-eval/report.js';
import { HOSTILE } from '../../reports/hostile.js';
import { parsePage, parseSection, whole } from '../../reports/support.js';
import { AGENT_EVAL_FACTS, noCalls, rolloutRow } from '../../support/rollout-rows.js';

const ROWS = [
  rolloutRow('a', 0, 1),
  rolloutRow('a', 1, 0.25),
  rolloutRow('b', 0, 1),
  rolloutRow('b', 1, null, {
    status: 'error',
    ending: null,
    error: { type: 'timeout', message: 'no answer' },
  }),
  rolloutRow('b', 2, null, { status: 'user_fault', ending: 'user_fault', user_fault: 'role_swap' }),
];
const METRICS = agentEvalMetrics(AGENT_EVAL_FACTS, ROWS, noCalls());

const cells = (page: string, anchor: string) =>
  parseSection(page, anchor)
    .texts.filter(({ path }) => path.includes('tbody'))
    .map(({ text }) => text.trim().replace(/\s%$/, '%'))
    .filter((text) => text !== '');

describe('the page of an evaluation', () => {
  test('shows the figures of metrics.json, by k, by row, by ending and by error', async () => {
    const page = await whole(agentEvalReport(METRICS));
    parsePage(page);
    const exact = cells(page, 'figures');
    expect(exact[exact.indexOf('mean_reward') + 1]).toBe('0.75');
    expect(exact[exact.indexOf('rollouts_planned') + 1]).toBe('6');
    expect(cells(page, 'pass')).toEqual([
      ...['1', '75.0%', '75.0%', '2'],
      ...['2', '100.0%', '0.0%', '1'],
      ...['3', '–', '–', '0'],
    ]);
    expect(page).toContain('the rows have 1 to 2 judged rollouts');
    expect(cells(page, 'rows')).toEqual(['a', '2', '1', '0.625', 'b', '1', '1', '1']);
    expect(cells(page, 'endings')).toEqual([
      'user_stop',
      '3',
      'user_fault',
      '1',
      'user_fault: role_swap',
      '1',
    ]);
    expect(cells(page, 'errors')).toEqual(['timeout', '1', 'no answer']);
  });

  test('says what has not happened', async () => {
    const metrics = agentEvalMetrics(
      { ...AGENT_EVAL_FACTS, status: 'stopped', simulated: true },
      [],
      noCalls(),
    );
    const page = await whole(agentEvalReport(metrics));
    for (const said of [
      'No rollout has ended.',
      'No rollout ended in an error.',
      'Stopped before',
      'Simulated model.',
    ])
      expect(page).toContain(said);
  });

  test('says which code changed while it was made', async () => {
    const change = { at: '2026-03-02T10:00:00.000Z', rollouts: 3, modules: ['desk/reward.ts'] };
    const page = await whole(agentEvalReport({ ...METRICS, code_changes: [change] }));
    parsePage(page);
    expect(page).toContain(
      '<code>desk/reward.ts</code> changed after <data value="3">3</data> of the rollouts',
    );
    expect(await whole(agentEvalReport(METRICS))).not.toContain('More than one version');
  });

  test.each(HOSTILE)('shows hostile text as text: %j', async (text) => {
    const facts = {
      ...AGENT_EVAL_FACTS,
      name: text,
      agent_model: text,
      status_message: text,
      status: 'failed' as const,
      code_changes: [{ at: '2026-03-02T10:00:00.000Z', rollouts: 1, modules: [text] }],
    };
    const error = { type: text, message: text };
    const row = rolloutRow('a', 0, null, { status: 'error', ending: null, error });
    const page = await whole(agentEvalReport(agentEvalMetrics(facts, [row], noCalls())));
    const { tags } = parsePage(page);
    expect(tags.filter(({ name }) => name === 'script')).toHaveLength(1);
  });
});
