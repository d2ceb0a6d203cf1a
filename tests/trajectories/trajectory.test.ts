import { describe, expect, test } from 'vitest';
import { Chat } from '../../src/trajectories/chat.js';
import {
  AREEvaluatedTrajectory,
  EvaluatedTrajectory,
  LLMEvaluatedTrajectory,
  parseTrajectory,
} from '../../src/trajectories/evaluated-trajectory.js';
import { InvalidTrajectoryError } from '../../src/trajectories/read.js';
import { Task } from '../../src/trajectories/task.js';
import { LLMEvaluatedTimeStep, TimeStep } from '../../src/trajectories/time-step.js';
import { Trajectory } from '../../src/trajectories/trajectory.js';

const chat = new Chat({ messages: [{ role: 'user', content: 'question' }], logprobs: [-1] });
const step = new TimeStep({
  chats: [chat],
  reward: 0.5,
  mc_return: 1.5,
  done: true,
  available_tool_schemas: [{ name: 'look', parameters: { type: 'object', required: ['at'] } }],
  advantage: -0.25,
});
const trajectory = new Trajectory({
  timesteps: [step],
  reset_kwargs: { task_id: 't1', options: { seed: 42, tags: ['a', null] } },
  error_info: { error_type: 'timeout', message: 'late', traceback: '' },
  episode_id: 't1/0',
});

const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('under the names of the specification', () => {
  test('a trajectory is written with every field', () => {
    expect(overJson(trajectory)).toEqual({
      timesteps: [
        {
          chats: [
            {
              messages: [{ role: 'user', content: 'question' }],
              logprobs: [-1],
              top_tokens: null,
              token_top_logprobs: null,
            },
          ],
          reward: 0.5,
          mc_return: 1.5,
          done: true,
          truncated: false,
          available_tool_schemas: [{ name: 'look', parameters: { type: 'object', required: ['at'] } }],
          advantage: -0.25,
        },
      ],
      reset_kwargs: { task_id: 't1', options: { seed: 42, tags: ['a', null] } },
      error_info: { error_type: 'timeout', message: 'late', traceback: '' },
      episode_id: 't1/0',
      schema_version: 1,
    });
  });

  test('the least that can be read is filled up', () => {
    const read = Trajectory.parse({ timesteps: [{ chats: [{ messages: [] }] }], from_later: true });
    expect(read.toJSON()).toEqual({
      timesteps: [
        {
          chats: [{ messages: [], logprobs: null, top_tokens: null, token_top_logprobs: null }],
          reward: null,
          mc_return: null,
          done: false,
          truncated: false,
          available_tool_schemas: null,
          advantage: null,
        },
      ],
      reset_kwargs: {},
      error_info: null,
      episode_id: null,
      schema_version: 1,
    });
  });

  test('a task is written and read', () => {
    const task = new Task({ task_id: 'm1', inputs: { instruction: '15% of 240?' } });
    const data = { task_id: 'm1', inputs: { instruction: '15% of 240?' }, eval_criteria: {}, metadata: {} };
    expect(overJson(task)).toEqual(data);
    expect(Task.parse(overJson(task))).toEqual(task);
    expect(() => Task.parse({ inputs: {} })).toThrow(/task: task_id/);
  });
});

describe('a step', () => {
  test('has the chats as chats', () => {
    const read = TimeStep.parse(overJson(step));
    expect(read).toEqual(step);
    expect(read.chats[0]).toBeInstanceOf(Chat);
    expect(read.chats[0]?.appendMessage({ role: 'user', content: 'b' }).messages).toHaveLength(2);
  });

  test('needs at least one', () => {
    expect(() => new TimeStep({ chats: [] })).toThrow(/chats: a step needs at least one chat/);
    expect(() => TimeStep.parse({ reward: 1 })).toThrow(InvalidTrajectoryError);
  });

  test('cannot be changed', () => {
    expect(() => Object.assign(step, { reward: 1 })).toThrow(TypeError);
    expect(() => (step.chats as Chat[]).push(chat)).toThrow(TypeError);
    expect(() => Object.assign(step.available_tool_schemas?.[0] as object, { name: 'other' })).toThrow(
      TypeError,
    );
  });

  test('a reward that is no number is refused, not taken for none', () => {
    expect(() => new TimeStep({ chats: [chat], reward: Number.NaN })).toThrow(/reward is NaN/);
    expect(() => TimeStep.parse({ chats: [chat], reward: '1' })).toThrow(/reward/);
  });
});

describe('a trajectory', () => {
  test('comes back from JSON as it was, steps and chats with it', () => {
    const read = Trajectory.parse(overJson(trajectory));
    expect(read).toEqual(trajectory);
    expect(read.timesteps[0]).toBeInstanceOf(TimeStep);
    expect(read.timesteps[0]?.chats[0]).toBeInstanceOf(Chat);
  });

  test.each([
    ['no steps', { timesteps: [] }, /at least one step/],
    ['another version', { timesteps: [step], schema_version: 2 }, /schema_version/],
    [
      'a fault far down',
      { timesteps: [step, { chats: [chat, { messages: [1] }] }] },
      /timesteps\.1\.chats\.1\.messages\.0/,
    ],
    ['an error of other types', { timesteps: [step], error_info: { code: 3 } }, /error_info\.code/],
    [
      'a date in what it was started with',
      { timesteps: [step], reset_kwargs: { at: new Date(0) } },
      /reset_kwargs\.at is a Date/,
    ],
  ])('refuses %s and says where', (_, data, message) => {
    expect(() => Trajectory.parse(data)).toThrow(message);
  });

  test('cannot be changed, nor through what it was made from', () => {
    const reset_kwargs = { task: { difficulty: 'easy' } };
    const made = new Trajectory({ timesteps: [step], reset_kwargs });
    reset_kwargs.task.difficulty = 'hard';
    expect(made.reset_kwargs).toEqual({ task: { difficulty: 'easy' } });
    expect(() => Object.assign(made, { episode_id: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(made.reset_kwargs.task as object, { difficulty: 'hard' })).toThrow(TypeError);
    expect(() => (made.timesteps as TimeStep[]).pop()).toThrow(TypeError);
  });
});

describe('an evaluated trajectory', () => {
  const are_evaluation = {
    success: true,
    rationale: 'all events matched',
    judge_model: 'judge',
    oracle_matching_failures: [],
    duration: 45.2,
  };
  const judge_response = { score: 0.75, reason: 'fine', details: { steps: [1, 2] } };
  const judged = LLMEvaluatedTrajectory.fromTrajectory(trajectory, {
    timesteps: [LLMEvaluatedTimeStep.fromTimeStep(step, { score: 1 })],
    judge_response,
  });
  const matched = new AREEvaluatedTrajectory({ ...trajectory.toJSON(), are_evaluation });

  test('answers its evaluation under one name, whoever evaluated', () => {
    expect([matched, judged].every((one) => one instanceof EvaluatedTrajectory)).toBe(true);
    expect(matched.evaluation).toEqual(are_evaluation);
    expect(judged.evaluation).toEqual(judge_response);
    const silent = LLMEvaluatedTrajectory.fromTrajectory(trajectory, { timesteps: [step] });
    expect(silent.evaluation).toEqual({});
    expect(silent.judge_response).toBeNull();
  });

  test('is made of an episode without losing which it was', () => {
    const { reset_kwargs, error_info, episode_id } = trajectory;
    expect(judged).toMatchObject({ reset_kwargs, error_info, episode_id, schema_version: 1 });
    expect(judged.timesteps[0]).toBeInstanceOf(LLMEvaluatedTimeStep);
    expect(judged.timesteps[0]?.judge_response).toEqual({ score: 1 });
    expect(judged.timesteps[0]?.chats).toEqual(step.chats);
  });

  test.each([
    ['LLMEvaluatedTrajectory', judged],
    ['AREEvaluatedTrajectory', matched],
    ['Trajectory', trajectory],
  ])('%s comes back from JSON as the same kind', (name, one) => {
    const read = parseTrajectory(overJson(one));
    expect(read.constructor.name).toBe(name);
    expect(read).toEqual(one);
    expect(overJson(read)).toEqual(overJson(one));
    expect(Object.isFrozen(read) && Object.isFrozen(read.timesteps[0])).toBe(true);
  });

  test('needs its evaluation', () => {
    expect(() => AREEvaluatedTrajectory.parse(trajectory.toJSON())).toThrow(/are_evaluation/);
    const list = { ...judged.toJSON(), judge_response: { scores: [1, 2] } };
    expect(() => LLMEvaluatedTrajectory.parse(list)).toThrow(/judge_response/);
  });
});

describe('what ARE evaluated', () => {
  const are_evaluation = {
    success: true,
    rationale: 'all oracle events matched',
    judge_model: 'gpt-5-mini',
    oracle_matching_failures: [],
    duration: 45.2,
  };
  const evaluated = (rewards: (number | null)[]) =>
    AREEvaluatedTrajectory.parse({
      timesteps: rewards.map((reward) => ({ chats: [chat], reward })),
      reset_kwargs: { task: 'mail' },
      episode_id: 'mail/0',
      are_evaluation,
    });

  test('becomes what a model judged, with success and rationale, and keeps all that ARE said', () => {
    const judged = LLMEvaluatedTrajectory.fromARE(evaluated([null, null]));
    const { oracle_matching_failures: _failures, ...response } = are_evaluation;
    expect(judged.evaluation).toEqual(response);
    expect(overJson(judged)).toMatchObject({
      are_evaluation,
      reset_kwargs: { task: 'mail' },
      episode_id: 'mail/0',
    });
    expect(judged.timesteps.map(({ reward, judge_response }) => [reward, judge_response])).toEqual([
      [0, null],
      [1, null],
    ]);
    expect(parseTrajectory(overJson(judged))).toEqual(judged);
  });

  test('keeps the rewards that it has', () => {
    const judged = LLMEvaluatedTrajectory.fromARE(evaluated([0.25, null]));
    expect(judged.timesteps.map(({ reward }) => reward)).toEqual([0.25, null]);
  });
});
