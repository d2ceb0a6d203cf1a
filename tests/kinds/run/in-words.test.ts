import { describe, expect, test } from 'vitest';
import { inWords, LOADED_UNSEEN } from '../../../src/kinds/run/in-words.js';
import type { Loaded } from '../../../src/kinds/run/prompt-parts.js';
import { configOf } from '../../support/configs.js';

const INDEPENDENT =
  'Samples are independent: nothing of one is shown to another, and up to 10 are at work at once.';
const IN_TURN =
  'Samples go one after another and share one memory; runtime.memory_scope=sample makes them independent.';
const ALONE = 'Each prompt shows its question alone.';
const ENTRIES = (k: number, right: 'with' | 'without') =>
  `the last ${k} memory entries (three a step: what was asked, answered and judged, ${right} the right answers)`;

const OWN_VERDICT = 'A later trial of a sample can read whether its earlier answers were right.';
const TRIED = (times: number, apart = '') =>
  `Each sample is tried ${times} times${apart}: the accuracy is that of the last trial.`;
const APART = ', and no trial is shown anything of another';

const loaded = (fields: Partial<Loaded>): Loaded => ({
  entries: [],
  reflections: false,
  experiences: false,
  sheet: false,
  ...fields,
});

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

describe('what a config means for order, prompts and trials', () => {
  test.each<[string, Record<string, unknown>, ...string[]]>([
    ['the least config', {}, INDEPENDENT, ALONE],
    [
      'the slowest pace',
      { runtime: { concurrency: 1 } },
      INDEPENDENT.replace('up to 10 are at work at once', 'one is at work at a time'),
      ALONE,
    ],
    ['a pace', { runtime: { concurrency: 3 } }, INDEPENDENT.replace('10', '3'), ALONE],
    [
      'a history agent',
      { agent: { type: 'history_agent' } },
      IN_TURN,
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the samples before it.`,
    ],
    [
      'a memory agent, whose memory is shorter than what it would show',
      { agent: { type: 'memory_agent' }, memory: { max_length: 4 } },
      IN_TURN,
      'Each prompt shows its question and the last 4 memory entries (what was asked, answered and judged, with the right answers) of the samples before it.',
    ],
    ['a history that is not shown', { agent: { history_k: 0 } }, IN_TURN, ALONE],
    [
      'several trials of independent samples',
      { runtime: { num_trials: 3 } },
      INDEPENDENT,
      `Each prompt shows its question and ${ENTRIES(10, 'without')} of the trials before it. ${OWN_VERDICT}`,
      TRIED(3),
    ],
    [
      'several trials that are told the answer',
      { runtime: { num_trials: 3, ...sample }, agent: { feedback: 'full' } },
      INDEPENDENT,
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the trials before it. A later trial of a sample can read its right answer.`,
      TRIED(3),
    ],
    [
      'trials that forget each other',
      { runtime: { num_trials: 3, carry_memory_across_trials: false } },
      INDEPENDENT,
      ALONE,
      TRIED(3, APART),
    ],
    [
      'trials until a success',
      { runtime: { num_trials: 3, carry_memory_across_trials: false, early_stop_on_success: true } },
      INDEPENDENT,
      ALONE,
      `Each sample is tried up to 3 times, until an answer is judged right${APART}: the accuracy is the share that any trial got right.`,
    ],
    [
      'several steps',
      { dataset: guessing },
      INDEPENDENT,
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the steps before it.`,
    ],
    [
      'several steps, of which one is taken',
      { dataset: guessing, runtime: { max_steps_per_episode: 1 } },
      INDEPENDENT,
      ALONE,
    ],
    [
      'reflections',
      { runtime: { num_trials: 2, ...sample }, agent: reflexion() },
      INDEPENDENT,
      `Each prompt shows its question and the last 3 reflections on the trials before it. Each reflection is asked for without the right answer. ${OWN_VERDICT}`,
      TRIED(2),
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
      'Each prompt shows its question, the last attempt at it, with the right answers and the last reflection on the samples before it and the trials before it. Each reflection is asked for with the right answer. A later trial of a sample can read its right answer.',
      TRIED(2),
    ],
    ['no reflections', { agent: reflexion({ strategy: 'none' }) }, IN_TURN, ALONE],
    [
      'a cheatsheet',
      { agent: cheatsheet() },
      IN_TURN,
      'Each prompt shows its question and the notes of the model on the samples before it. The curator is not shown how answers were judged.',
    ],
    [
      'a cheatsheet of a curator who is told the answers',
      { agent: cheatsheet({ curator_sees_feedback: true }) },
      IN_TURN,
      'Each prompt shows its question and the notes of the model on the samples before it. The curator is shown how answers were judged, with the right answers.',
    ],
    [
      'notes that are made before each answer',
      { runtime: sample, agent: cheatsheet({ mode: 'retrieval_synthesis' }) },
      INDEPENDENT,
      'Each prompt shows its question and notes of the model for it.',
    ],
    [
      'similar tasks and the newest',
      { agent: cheatsheet({ mode: 'dynamic_retrieval', history_k: 2 }) },
      IN_TURN,
      'Each prompt shows its question, up to 3 similar tasks (without how they were judged) of the samples before it and the last 2 tasks (without how they were judged) of the samples before it.',
    ],
    [
      'similar tasks that were right',
      {
        runtime: { num_trials: 2 },
        agent: cheatsheet({ mode: 'dynamic_retrieval' }),
        memory: { _type: 'experience_db', retrieval: { correct_only: true } },
      },
      IN_TURN,
      'Each prompt shows its question and up to 3 similar tasks that were judged right of the samples before it. Right answers choose the similar tasks: those that were judged right, but none of the same sample or with the same question.',
      TRIED(2, APART),
    ],
    ['an empty sheet', { agent: cheatsheet({ mode: 'empty_sheet' }) }, IN_TURN, ALONE],
    [
      'an agent of one’s own',
      { agent: { type: 'mine', file: import.meta.filename } },
      IN_TURN,
      'What each prompt shows is up to mine (in-words.test.ts), which is told the right answer after each of its own.',
    ],
    [
      'memory of one’s own',
      { memory: { type: 'own', file: import.meta.filename } },
      IN_TURN,
      'What each prompt shows is up to the memory in in-words.test.ts, which is told how answers were judged, with the right answers.',
    ],
    [
      'memory of one’s own that is told no answers',
      { agent: { feedback: 'outcome' }, memory: { type: 'own', file: import.meta.filename } },
      IN_TURN,
      'What each prompt shows is up to the memory in in-words.test.ts, which is told how answers were judged, without the right answers.',
    ],
  ])('%s', (_what, sections, ...sentences) => {
    expect(inWords(configOf(sections), null).sentences).toEqual(sentences);
  });

  test.each<[string, Record<string, unknown>, Loaded, string]>([
    [
      'right answers',
      { runtime: sample, agent: { type: 'history_agent' } },
      loaded({ entries: ['none', 'full'] }),
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the loaded memory. Right answers of the loaded memory may be to the questions that are asked.`,
    ],
    [
      'right answers, and own ones without',
      { agent: { type: 'history_agent' } },
      loaded({ entries: ['none', 'outcome'] }),
      `Each prompt shows its question and ${ENTRIES(10, 'with')} of the loaded memory and the samples before it.`.replace(
        'right answers',
        'right answers but for the loaded ones',
      ),
    ],
    [
      'nothing that is shown',
      { runtime: sample, agent: { type: 'history_agent' } },
      loaded({ sheet: true }),
      ALONE,
    ],
    [
      'reflections',
      { runtime: sample, agent: reflexion() },
      loaded({ reflections: true }),
      'Each prompt shows its question and the last 3 reflections on the loaded memory. Each reflection is asked for with the right answer. Whether texts of the loaded memory tell right answers is not known.',
    ],
    [
      'notes',
      { runtime: sample, agent: cheatsheet() },
      loaded({ sheet: true, experiences: true }),
      'Each prompt shows its question and the notes of the model on the loaded memory. The curator is not shown how answers were judged. Whether texts of the loaded memory tell right answers is not known.',
    ],
    [
      'what cannot be looked at',
      { runtime: sample, agent: { type: 'history_agent', feedback: 'outcome' } },
      LOADED_UNSEEN,
      `Each prompt shows its question and ${ENTRIES(10, 'without')} of the loaded memory. Whether texts of the loaded memory tell right answers is not known.`,
    ],
  ])('with a memory loaded that holds %s', (_what, sections, facts, prompts) => {
    expect(inWords(configOf(sections), facts).sentences[1]).toBe(prompts);
  });
});
