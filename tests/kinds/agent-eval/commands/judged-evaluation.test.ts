import { afterEach, expect, test, vi } from 'vitest';
import type { CarriedOut, Carry } from '../../../../src/cli/carry-out.js';
import { EXIT } from '../../../../src/cli/exit.js';
import type { ExperimentProgress } from '../../../../src/contracts/progress.js';
import { carryOutJudged } from '../../../../src/kinds/agent-eval/judging.js';
import { agentEval } from '../../../../src/kinds/agent-eval/kind.js';
import type { AgentEvalResult } from '../../../../src/kinds/agent-eval/results.js';
import type { JudgeResult } from '../../../../src/kinds/judge/contracts.js';
import { judge as judgeKind } from '../../../../src/kinds/judge/kind.js';

const EVALUATED = {
  artifacts: 'file:///desk',
  metrics: { kind: 'agent-eval', status: 'done', rollouts: 3, errors: 1, user_faults: {} },
};
const JUDGED = {
  artifacts: 'file:///desk/judged',
  metrics: { kind: 'judge', status: 'done', steps: 9, errors: 0 },
};

afterEach(() => {
  vi.restoreAllMocks();
});

/** Carries an evaluation and its judgement out as JSON; answers what was printed, and the exit code or the error. */
async function carriedOut(judge: () => unknown, evaluated: object = EVALUATED) {
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const evaluation = { facts: agentEval.facts, json: true } as CarriedOut<
    ExperimentProgress,
    AgentEvalResult
  >;
  const judgement = { facts: judgeKind.facts, json: true } as CarriedOut<ExperimentProgress, JudgeResult>;
  const carry = (async (experiment: unknown) =>
    experiment === judgement ? judge() : evaluated) as unknown as Carry;
  const ended = await carryOutJudged(carry, evaluation, () => judgement).catch(
    (error: Error) => error.message,
  );
  return { printed: JSON.parse(printed) as object, ended };
}

test('the result as JSON has the judgement', async () => {
  expect(await carriedOut(() => JUDGED)).toEqual({ printed: { ...EVALUATED, judgement: JUDGED }, ended: 0 });
});

test.each([
  ['interrupted', () => null, EXIT.interrupted],
  [
    'not possible',
    () => {
      throw new Error('there is nothing to judge');
    },
    'there is nothing to judge',
  ],
])('the result of an evaluation whose judgement was %s is printed as it is', async (_, judge, ended) => {
  expect(await carriedOut(judge)).toEqual({ printed: EVALUATED, ended });
});

test('an evaluation that is not complete is not judged', async () => {
  const stopped = { ...EVALUATED, metrics: { ...EVALUATED.metrics, status: 'stopped' } };
  const never = () => {
    throw new Error('it is judged');
  };
  expect(await carriedOut(never, stopped)).toEqual({ printed: stopped, ended: EXIT.unfinished });
});

test('an evaluation of which nothing has a reward is not judged', async () => {
  const spoiled = { ...EVALUATED, metrics: { ...EVALUATED.metrics, rollouts: 0 } };
  const never = () => {
    throw new Error('it is judged');
  };
  expect(await carriedOut(never, spoiled)).toEqual({ printed: spoiled, ended: EXIT.failed });
});
