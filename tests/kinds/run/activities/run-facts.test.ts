import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runFacts } from '../../../../src/kinds/run/activities/run-facts.js';
import { configOf } from '../../../support/configs.js';

const course = {
  experiment: 'run',
  status: 'done',
  status_message: null,
  samples_planned: 1,
  wall_seconds: 1,
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:01.000Z',
} as const;

test.each<[Record<string, unknown>, string]>([
  [{ agent: { type: 'history_agent' } }, 'full'],
  [{ agent: { type: 'history_agent' }, runtime: { num_trials: 2 } }, 'outcome'],
  [{ agent: { type: 'dynamic_cheatsheet_agent' } }, 'none'],
  [{ agent: { type: 'dynamic_cheatsheet_agent', curator_sees_feedback: true } }, 'full'],
  [
    { agent: { type: 'dynamic_cheatsheet_agent', curator_sees_feedback: true, feedback: 'outcome' } },
    'outcome',
  ],
  [{ agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' } }, 'full'],
  [
    {
      agent: { type: 'own', file: resolve('examples/own-agent/majority-agent.ts') },
      memory: { _type: 'cheatsheet' },
    },
    'full',
  ],
])('what the memory of %j holds of the feedback: %s', (sections, feedback) => {
  expect(runFacts(configOf(sections), null, course).feedback_in_memory).toBe(feedback);
});
