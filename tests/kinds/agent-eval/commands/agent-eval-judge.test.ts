import { describe, expect, test } from 'vitest';
import { evaluationJudge, judgeCommandLine } from '../../../../src/kinds/agent-eval/judging.js';
import { AGENT_RUBRIC } from '../../../../src/kinds/judge/agent-rubric.js';

const SCRIPT = 'scripted/examples/judge/replies.yaml';

describe('the judge of an evaluation', () => {
  test('is none where nobody names one', async () => {
    expect(await evaluationJudge({ set: ['models.agent.temperature=0'] }, {})).toBeNull();
  });

  test('judges the folder that the evaluation is in, by an agent’s rubric unless another is named', async () => {
    const judge = await evaluationJudge({ judge: SCRIPT, set: ['judge.lm.temperature=0', 'seed=4'] }, {});
    expect(judge?.('s3://bucket/desk')).toMatchObject({
      experiment: 's3://bucket/desk',
      rubric: AGENT_RUBRIC,
      lm: { provider: 'scripted', temperature: 0, script: `${process.cwd()}/examples/judge/replies.yaml` },
    });
    const other = await evaluationJudge({ judge: SCRIPT, rubric: 'examples/judge/rubric.yaml', set: [] }, {});
    expect(other?.('s3://bucket/desk').rubric.name).toBe('teacher');
  });

  test.each([
    ['a field of no judge', { set: ['judge.lm.seed=1'] }, /^--set judge\.lm\.seed=1: there is no judge/],
    ['a field that there is not', { judge: SCRIPT, set: ['judge.lmm=1'] }, /lmm/],
    ['a rubric without a judge', { rubric: 'r.yaml' }, /^--rubric is what a judge judges by/],
    [
      'a judge that nobody waits for',
      { judge: SCRIPT, detach: true },
      /^--judge cannot stand beside --detach/,
    ],
    ['a rubric that is not there', { judge: SCRIPT, rubric: 'none.yaml' }, /^rubric: there is no file at/],
    ['a model without its key', { judge: 'openai/gpt-4.1' }, /lm\.model: .*set OPENAI_API_KEY/],
  ])('%s is refused before anything is begun', async (_, options, message) => {
    await expect(evaluationJudge({ set: [], ...options }, {})).rejects.toThrow(message);
  });

  test('is named with the command that continues with it', () => {
    const folder = `file://${process.cwd()}/results/desk`;
    expect(judgeCommandLine(folder, { judge: 'openai/x', set: ['seed=4'] })).toBe(
      'npx reprise judge results/desk --model openai/x',
    );
    expect(
      judgeCommandLine('s3://b/desk', { judge: 'openai/x', rubric: 'r.yaml', set: ['judge.concurrency=2'] }),
    ).toBe('npx reprise judge s3://b/desk --model openai/x --rubric r.yaml --set concurrency=2');
  });

  test('with words as a shell and the command read them', () => {
    const rubric = "the teacher's.yaml";
    const set = ['judge.lm.stop=[a, b]'];
    expect(judgeCommandLine(`file://${process.cwd()}/desk`, { judge: 'openai/x', rubric, set })).toBe(
      `npx reprise judge ./desk --model openai/x --rubric 'the teacher'\\''s.yaml' --set 'lm.stop=[a, b]'`,
    );
  });
});
