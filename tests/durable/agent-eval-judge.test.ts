import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JudgeResult } from '../../src/kinds/judge/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { writeRubric } from '../support/judged-steps.js';
import { agentEvalIn, seatsConfig, seatsReply, writeSeats } from '../support/seats-bundle.js';
import { readLines, until, Workplace } from '../support/workplace.js';

const ROWS = 16;
const ROLLOUTS = 3;

/** A first reply that is no verdict, and one that is. */
const JUDGE = `
- purpose: judge
  replies:
    - Four of five.
    - '{"clear": {"reason": "A script says so.", "score": 4}}'
`;

describe('an evaluation with a judge', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { reply: seatsReply });
    await writeSeats(place, ROWS, 'seats');
    await place.write('judge.yaml', JUDGE);
    await writeRubric(place);
    const fields = { name: 'judged', rollouts: ROLLOUTS, concurrency: 8 };
    await place.write('judged.yaml', seatsConfig(provider.baseUrl, 'seats/task.jsonl', fields));
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  /** Replies of the judge that are written down by now. */
  async function verdicts(): Promise<number> {
    const names = await readdir(place.path('results/judged/judged'), { recursive: true }).catch(() => []);
    return names.filter((name) => /^[^/]+\/pending\/.*\.json$/.test(name)).length;
  }

  it('is interrupted while it is judged; the command that it prints continues with the judgement', async () => {
    const words = ['--judge', 'scripted/judge.yaml', '--rubric', 'rubric.yaml'];
    const running = place.start(['agent-eval', 'judged.yaml', ...words]);
    await until('the judge has begun', async () => (await verdicts()) > 0);
    running.process.kill('SIGINT');
    const interrupted = await running.done;
    expect(interrupted.code, interrupted.stderr).toBe(130);
    expect(interrupted.stdout).toContain('mean reward');
    const { metrics } = await agentEvalIn(place.path('results/judged'));
    expect(metrics).toMatchObject({ status: 'done', rollouts: ROWS * ROLLOUTS, errors: 0 });
    expect(provider.statistics.calls).toBe(metrics.lm_calls);

    const printed = /Nothing is lost: npx reprise (.+) continues judged\/judged\/\S+\./.exec(
      interrupted.stderr,
    )?.[1];
    expect(printed).toBe('judge results/judged --model scripted/judge.yaml --rubric rubric.yaml');
    const kept = await verdicts();
    expect(kept).toBeLessThan(2 * metrics.agent_turns);
    const { code, stdout, stderr } = await place.reprise([...(printed as string).split(' '), '--json']);
    expect(code, stderr).toBe(0);
    const judgement = JSON.parse(stdout) as JudgeResult;
    expect(judgement.metrics).toMatchObject({
      status: 'done',
      experiment: 'judged',
      trajectories: ROWS * ROLLOUTS,
      steps: metrics.agent_turns,
      errors: 0,
      malformed_replies: metrics.agent_turns,
      lm_calls: 2 * metrics.agent_turns,
      scores: { clear: { mean: 4, range: [1, 5] } },
    });
    const folder = new URL(`${judgement.artifacts}/`);
    const judged = await readLines<object>(new URL('trajectories.jsonl', folder).pathname);
    expect(judged).toHaveLength(ROWS * ROLLOUTS);
    // The evaluation was done before, and is left as it was.
    expect((await agentEvalIn(place.path('results/judged'))).metrics).toEqual(metrics);
    expect(provider.statistics.calls).toBe(metrics.lm_calls);
  });
});
