import { describe, expect, test } from 'vitest';
import { judgedTrajectory, type StepEvaluation } from '../../../../src/kinds/judge/judging/evaluation.js';
import { addReply, meanScores, noJudgeTotals } from '../../../../src/kinds/judge/judging/totals.js';
import {
  AREEvaluatedTrajectory,
  LLMEvaluatedTrajectory,
  parseTrajectory,
} from '../../../../src/trajectories/evaluated-trajectory.js';
import { isSuccessful } from '../../../../src/trajectories/exports/index.js';
import { Trajectory } from '../../../../src/trajectories/trajectory.js';
import { episode } from '../../../trajectories/support.js';
import { rubricWith } from './support.js';

const { criteria } = rubricWith();
const judge = { model: 'openai/fake', rubric: 'manners', criteria };
const original = Trajectory.parse(episode('t1', [0, 0, 0, 1]));

const judged = (helpful: number, polite: number): StepEvaluation => ({
  kind: 'judged',
  verdict: { helpful: { score: helpful, reason: 'so' }, polite: { score: polite, reason: 'so' } },
});
const FAULT = { type: 'timeout', message: 'late' };

test('a trajectory carries the verdict on each step, and the means over those that have one', () => {
  const evaluated = judgedTrajectory(
    original,
    [judged(5, 1), { kind: 'error', error: FAULT }, judged(2, 0), { kind: 'open' }],
    judge,
  );
  expect(evaluated.timesteps.map(({ judge_response }) => judge_response)).toEqual([
    { helpful: { score: 5, reason: 'so' }, polite: { score: 1, reason: 'so' } },
    { error: FAULT },
    { helpful: { score: 2, reason: 'so' }, polite: { score: 0, reason: 'so' } },
    null,
  ]);
  expect(evaluated.evaluation).toEqual({
    judge: 'openai/fake',
    rubric: 'manners',
    steps_judged: 2,
    errors: 1,
    scores: { helpful: 3.5, polite: 0.5 },
    rationale: 'Not judged as a whole: 2 of 4 steps have no verdict.',
  });
  // What was judged stays what it was, and the row is read again as what it is.
  expect(new Trajectory(evaluated.toJSON()).toJSON()).toEqual(original.toJSON());
  const row = JSON.parse(JSON.stringify(evaluated));
  expect(parseTrajectory(row).toJSON()).toEqual(row);
});

describe('the whole episode', () => {
  const two = Trajectory.parse(episode('t1', [0, 1]));

  test('is what the judge says of it with the last step', () => {
    const last = {
      ...judged(1, 0),
      episode: { success: true, rationale: 'All was done.' },
    } as StepEvaluation;
    const { evaluation } = judgedTrajectory(two, [{ kind: 'error', error: FAULT }, last], judge);
    expect(evaluation).toMatchObject({ success: true, rationale: 'All was done.', success_from: 'judge' });
    expect(isSuccessful(judgedTrajectory(two, [judged(1, 0), last], judge))).toBe(true);
  });

  test.each([
    [judged(5, 1), judged(1, 0), true],
    [judged(4, 1), judged(1, 0), false],
    [judged(5, 0), judged(5, 0), false],
  ])('is told by the scores where it does not say: %j, %j', (first, last, success) => {
    const { evaluation } = judgedTrajectory(two, [first, last], judge);
    expect(evaluation).toMatchObject({ success, success_from: 'scores' });
    expect(evaluation.rationale).toMatch(/^From the scores.* helpful .*: so polite .*: so$/);
  });

  test('of a trajectory that ARE evaluated keeps what ARE said', () => {
    const are_evaluation = {
      success: false,
      rationale: 'no mail was sent',
      judge_model: 'gpt-5-mini',
      oracle_matching_failures: [{ event: 'send_email' }],
      duration: 45.2,
    };
    const are = AREEvaluatedTrajectory.parse({ ...episode('t1', [null, null]), are_evaluation });
    const evaluated = judgedTrajectory(are, [judged(5, 1), judged(5, 1)], judge);
    const row = JSON.parse(JSON.stringify(evaluated));
    expect(row).toMatchObject({ are_evaluation, judge_response: { judge: 'openai/fake', success: true } });
    const read = parseTrajectory(row);
    expect(read).toBeInstanceOf(LLMEvaluatedTrajectory);
    expect(read.toJSON()).toEqual(row);
    expect(judgedTrajectory(read, [judged(1, 0), judged(1, 0)], judge).are_evaluation).toEqual(
      are_evaluation,
    );
    expect(isSuccessful(evaluated)).toBe(false);
  });
});

test('where nothing could be judged there is no mean, and where nobody began there is nothing', () => {
  const error: StepEvaluation = { kind: 'error', error: FAULT };
  expect(judgedTrajectory(original, [error, error, error, error], judge).judge_response).toMatchObject({
    steps_judged: 0,
    errors: 4,
    scores: { helpful: null, polite: null },
  });
  const untouched = judgedTrajectory(original, [], judge);
  expect(untouched.judge_response).toBeNull();
  expect(untouched.timesteps.every(({ judge_response }) => judge_response === null)).toBe(true);
});

test('totals count every reply, and scores of verdicts alone', () => {
  const cost = { lm_calls: 1, usage: { input_tokens: 3, output_tokens: 2 }, cost_usd: 0.5 };
  const totals = [
    { kind: 'malformed' as const, ...cost },
    { kind: 'judged' as const, scores: { helpful: 1, polite: 0 }, ...cost },
    { kind: 'judged' as const, scores: { helpful: 4, polite: 1 }, ...cost, cost_usd: null },
  ].reduce(addReply, noJudgeTotals());
  expect(totals).toEqual({
    lm_calls: 3,
    usage: { input_tokens: 9, output_tokens: 6 },
    cost_usd: null,
    judged: 2,
    errors: 0,
    malformed: 1,
    scores: { helpful: 5, polite: 1 },
  });
  expect(meanScores(['helpful', 'polite'], totals)).toEqual({ helpful: 2.5, polite: 0.5 });
  expect(meanScores(['helpful'], noJudgeTotals())).toEqual({ helpful: null });
});
