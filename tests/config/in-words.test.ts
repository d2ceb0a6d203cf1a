import { describe, expect, test } from 'vitest';
import { inWords } from '../../src/config/in-words.js';
import { configOf } from '../support/configs.js';

const INDEPENDENT =
  'Samples are independent: nothing of one is shown to another, and up to 10 are at work at once.';
const IN_TURN =
  'Samples go one after another and share one memory; runtime.memory_scope=sample makes them independent.';
const ALONE = 'Each prompt shows its question alone.';
const ENTRIES = (k: number, right: 'with' | 'without') =>
  `the last ${k} memory entries (what was asked, answered and judged, ${right} the right answers)`;

const sample = { memory_scope: 'sample' };
const guessing = {
  task_type: 'custom',
  env_class: 'NumberGuessingEnv',
  items: [{ question: 'q', answer: '7' }],
};
const reflexion = (reflection_config: object = {}, more: object = {}) => ({
  type: 'reflexion_agent',
  history_k: 0,
  reflection_config,
  ...more,
});
const cheatsheet = (more: object = {}) => ({ type: 'dynamic_cheatsheet_agent', ...more });

describe('what a config means for order and prompts', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['the least config', {}, INDEPENDENT, ALONE],
    ['a pace', { runtime: { concurrency: 3 } }, INDEPENDENT.replace('10', '3'), ALONE],
    [
      'a history agent',
      { agent: { type: 'history_agent' } },
      IN_TURN,
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the samples before it.`,
    ],
    ['a history that is not shown', { agent: { history_k: 0 } }, IN_TURN, ALONE],
    [
      'several trials of independent samples',
      { runtime: { num_trials: 3 } },
      INDEPENDENT,
      `Each prompt shows its question and ${ENTRIES(10, 'without')} of the trials before it.`,
    ],
    [
      'trials that forget each other',
      { runtime: { num_trials: 3, carry_memory_across_trials: false } },
      INDEPENDENT,
      ALONE,
    ],
    [
      'several steps and a loaded memory',
      { dataset: guessing, output: { load_memory_path: 's3://bucket/memory.json' } },
      INDEPENDENT,
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the loaded memory and the steps before it.`,
    ],
    [
      'reflections',
      { runtime: { num_trials: 2, ...sample }, agent: reflexion() },
      INDEPENDENT,
      'Each prompt shows its question and the last 3 reflections on the trials before it.',
    ],
    [
      'reflections on all samples, and the last attempt',
      {
        runtime: { num_trials: 2 },
        agent: reflexion(
          { strategy: 'last_attempt_and_reflexion', max_reflections: 1 },
          { feedback: 'full' },
        ),
      },
      IN_TURN,
      'Each prompt shows its question, the last attempt at it, with the right answers and the last reflection on the samples before it and the trials before it.',
    ],
    ['no reflections', { agent: reflexion({ strategy: 'none' }) }, IN_TURN, ALONE],
    [
      'a cheatsheet',
      { agent: cheatsheet() },
      IN_TURN,
      'Each prompt shows its question and the notes of the model on the samples before it.',
    ],
    [
      'similar tasks and the newest',
      { agent: cheatsheet({ mode: 'dynamic_retrieval', history_k: 2 }) },
      IN_TURN,
      'Each prompt shows its question, up to 3 similar tasks (without how they were judged) of the samples before it and the last 2 tasks (without how they were judged) of the samples before it.',
    ],
    ['an empty sheet', { agent: cheatsheet({ mode: 'empty_sheet' }) }, IN_TURN, ALONE],
    [
      'an agent of one’s own',
      { agent: { type: 'mine', file: import.meta.filename } },
      IN_TURN,
      'What each prompt shows is up to mine (in-words.test.ts).',
    ],
  ])('%s', (_what, sections, order, prompts) => {
    expect(inWords(configOf(sections))).toEqual([order, prompts]);
  });
});
