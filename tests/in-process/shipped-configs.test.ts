import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, resolveConfig, runInProcess } from '../../src/in-process/index.js';
import { FakeModel } from './support.js';

const CONFIGS = resolve('configs');

/** A shipped config with rows of its dataset's shape in the dataset's place. */
async function withRows(name: string, rows: object[]) {
  const raw = parse(await readFile(resolve(CONFIGS, `${name}.yaml`), 'utf8'));
  const { hf_name: _name, config: _config, split: _split, ...dataset } = raw.dataset;
  return resolveConfig(
    { ...raw, dataset: { ...dataset, items: rows } },
    { source: name, folder: CONFIGS, fallbackName: name },
  );
}

describe('the shipped configs in process', () => {
  it('runs toy_inmemory to the figure its seed gives', async () => {
    const config = loadConfig('configs/toy_inmemory.yaml');
    const { metrics, rows, calls, memory } = await runInProcess(config);
    expect(metrics).toMatchObject({
      name: 'toy_inmemory',
      experiment: 'toy_inmemory',
      kind: 'run',
      status: 'done',
      status_message: null,
      model: 'simulated/toy',
      simulated: true,
      agent: 'history_agent',
      seed: 7,
      samples: 4,
      samples_planned: 4,
      episodes: 4,
      correct: 2,
      accuracy: 0.5,
      errors: 0,
      success_by_trial: [0.5],
      lm_calls: 4,
      by_task: { QAEnv: { samples: 4, correct: 2, errors: 0, accuracy: 0.5 } },
    });
    expect(rows.map(({ id, feedback }) => [id, feedback?.target])).toEqual([
      ['0', 'Paris'],
      ['1', 'Rome'],
      ['2', 'Tokyo'],
      ['3', 'Lima'],
    ]);
    expect(rows.filter(({ feedback }) => feedback?.correct)).toHaveLength(2);
    expect(calls.map(({ sample_id, purpose }) => [sample_id, purpose])).toEqual([
      ['0', 'act'],
      ['1', 'act'],
      ['2', 'act'],
      ['3', 'act'],
    ]);
    // An observation, an action and a feedback of each sample, in one memory.
    expect(memory).toMatchObject({ _type: 'history_list' });
    expect((memory as unknown as { entries: unknown[] }).entries).toHaveLength(12);
  });

  it('runs reflexion to the figures its seed gives, with a trajectory for each episode', async () => {
    const config = loadConfig('configs/reflexion.yaml', {
      overrides: ['lm.simulation.latency_ms=0', 'lm.simulation.error_rate=0'],
    });
    const { metrics, rows, calls, trajectories, memory } = await runInProcess(config, { trajectories: true });
    expect(metrics).toMatchObject({
      status: 'done',
      samples: 40,
      episodes: 78,
      correct: 37,
      accuracy: 0.925,
      errors: 0,
      correct_by_trial: [12, 30, 37],
      success_by_trial: [0.3, 0.75, 0.925],
      feedback_in_memory: 'outcome',
      lm_calls: 119,
    });
    const failures = rows.filter(({ feedback }) => feedback?.correct !== true).length;
    expect(calls.filter(({ purpose }) => purpose === 'act')).toHaveLength(78);
    expect(calls.filter(({ purpose }) => purpose === 'reflect')).toHaveLength(failures);
    expect(trajectories?.map(({ episode_id }) => episode_id)).toEqual(
      rows.map(({ id, trial }) => `${id}/${trial}`),
    );
    expect(Object.keys((memory as { memories: object }).memories)).toHaveLength(40);
    // The same again, to the letter.
    const again = await runInProcess(config);
    expect(again.metrics.correct_by_trial).toEqual(metrics.correct_by_trial);
    expect(again.rows.map(({ action }) => action)).toEqual(rows.map(({ action }) => action));
  });

  it.each([
    [
      'aime_numeric',
      { ID: '2024-I-1', Problem: 'How many?', Answer: 73 },
      'So it is \\boxed{073}.',
      'MathQAEnv',
    ],
    [
      'gpqa_mcq',
      {
        'Record ID': 'rec1',
        Question: 'Which?',
        'Correct Answer': 'same text',
        'Incorrect Answer 1': 'b',
        'Incorrect Answer 2': 'c',
        'Incorrect Answer 3': 'd',
        'High-level domain': 'Physics',
      },
      null,
      'MCQEnv',
    ],
    [
      'mmlu_pro',
      { question_id: 70, question: 'Which?', options: ['w', 'x', 'y', 'z'], answer: 'C', category: 'law' },
      'The answer is (C).',
      'MCQEnv',
    ],
  ])('grades a row of %s', async (name, row, reply, environment) => {
    const config = await withRows(name, [row]);
    // Shuffled choices: the letter beside the right text.
    const model = new FakeModel(({ messages }) => {
      const letter = /\b([A-D])[).:]* same text/.exec(messages.at(-1)?.content ?? '')?.[1];
      return reply ?? `Answer: ${letter}`;
    });
    const { metrics, rows } = await runInProcess(config, { languageModel: model });
    expect(metrics).toMatchObject({ status: 'done', samples: 1, correct: 1, errors: 0 });
    expect(Object.keys(metrics.by_task)).toEqual([environment]);
    expect(rows[0]?.error).toBeNull();
  });
});
