import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runInProcess } from '../../src/in-process/index.js';
import {
  AREEvaluatedTrajectory,
  LLMEvaluatedTrajectory,
} from '../../src/trajectories/evaluated-trajectory.js';
import { PUBLISHED_SCHEMAS, trajectoryJsonSchema } from '../../src/trajectories/json-schema.js';
import { Task } from '../../src/trajectories/task.js';
import { Trajectory } from '../../src/trajectories/trajectory.js';
import { config, FakeModel, solve } from '../in-process/support.js';
import { calling, showing, step, toolResult, trajectory } from './support.js';

/** A validator made from nothing but the published text of a schema. */
function validator(kind: Parameters<typeof trajectoryJsonSchema>[0]) {
  const published = JSON.parse(JSON.stringify(trajectoryJsonSchema(kind)));
  const schema = z.fromJSONSchema(published);
  return (row: unknown) => schema.safeParse(JSON.parse(JSON.stringify(row))).success;
}

const everything = Trajectory.parse(
  trajectory([
    step([[showing('look', 'a.png'), calling(['1', 'look', '{}']), toolResult('1', 'a cat')]], {
      reward: 1,
      available_tool_schemas: [{ name: 'look' }],
    }),
  ]),
);
const judged = LLMEvaluatedTrajectory.fromTrajectory(everything, {
  timesteps: everything.timesteps,
  judge_response: { score: 0.5, reason: 'fine' },
});
const matched = new AREEvaluatedTrajectory({ ...everything.toJSON(), are_evaluation: { success: true } });
const task = new Task({ task_id: 't1' });

test('the rows of a real run are valid, those of failed episodes as well', async () => {
  const model = new FakeModel((request) => {
    if (request.call.sample_id === 's2') return request.call.purpose === 'act' ? '' : 'Try again.';
    return request.call.trial === 0 ? 'The answer is 999.' : solve(request);
  });
  const { trajectories = [] } = await runInProcess(
    config({ agent: { type: 'reflexion_agent' }, runtime: { num_trials: 2 } }),
    { languageModel: model, trajectories: true },
  );
  const isValid = validator('trajectory');
  expect(trajectories).toHaveLength(6);
  expect(trajectories.filter(({ error_info }) => error_info !== null)).toHaveLength(2);
  expect(trajectories.filter(({ timesteps }) => timesteps.some(({ chats }) => chats.length > 1))).not.toEqual(
    [],
  );
  for (const row of trajectories) {
    expect(isValid(row)).toBe(true);
    expect(Trajectory.parse(row).toJSON()).toEqual(row);
  }
});

describe('each published schema', () => {
  const rows = {
    trajectory: everything,
    'llm-evaluated-trajectory': judged,
    'are-evaluated-trajectory': matched,
    task,
  };

  test.each(PUBLISHED_SCHEMAS)('%s holds for a row of its kind, and for none of another', (kind) => {
    const isValid = validator(kind);
    expect(Object.entries(rows).flatMap(([name, row]) => (isValid(row) ? [name] : []))).toEqual([kind]);
  });
});

describe('a row is not valid', () => {
  const isValid = validator('trajectory');
  const row = everything.toJSON();
  const [first] = row.timesteps;

  test.each([
    ['without its steps', { ...row, timesteps: undefined }],
    ['with no steps', { ...row, timesteps: [] }],
    ['with a step of no chats', { ...row, timesteps: [{ ...first, chats: [] }] }],
    ['without a field that is null', { ...row, episode_id: undefined }],
    ['with a field that there is not', { ...row, reward: 1 }],
    ['of another version', { ...row, schema_version: 2 }],
    ['with a reward that is a text', { ...row, timesteps: [{ ...first, reward: '1' }] }],
    ['with a role that there is not', JSON.parse(JSON.stringify(row).replace('"user"', '"judge"'))],
  ])('%s', (_, changed) => {
    expect(isValid(row)).toBe(true);
    expect(isValid(changed)).toBe(false);
  });
});

test.each(PUBLISHED_SCHEMAS)('schemas/%s.schema.json is what the command prints', (kind) => {
  const file = readFileSync(`schemas/${kind}.schema.json`, 'utf8');
  // Write it anew: npx reprise schema KIND --out schemas/KIND.schema.json
  expect(JSON.parse(file)).toEqual(trajectoryJsonSchema(kind));
});

test('it says which it is and in which draft', () => {
  expect(trajectoryJsonSchema()).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Reprise Trajectory',
    required: ['timesteps', 'reset_kwargs', 'error_info', 'episode_id', 'schema_version'],
  });
});
