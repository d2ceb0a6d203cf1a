import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JudgeMetrics, JudgeProgress, JudgeResult } from '../../src/kinds/judge/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { VERDICT, writeJudged, writeRubric } from '../support/judged-steps.js';
import { until, Workplace } from '../support/workplace.js';

const EPISODES = 30;
/** Two steps an episode; on the second one of every episode the first reply is no verdict. */
const STEPS = 2 * EPISODES;
const CALLS = STEPS + EPISODES;
const CONCURRENCY = 4;
const LATENCY = 300;

describe('a judgement, on a real server', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', {
      reply: ({ lastUserText }) => ({
        text: lastUserText.includes('stumble') ? 'Four.' : VERDICT,
        usage: { input: 100, output: 10 },
      }),
    });
    await writeRubric(place);
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  /** Writes what an experiment left, and says how it is judged. */
  const experiment = (name: string): Promise<string[]> =>
    writeJudged(place, name, {
      episodes: EPISODES,
      said: ['go', 'stumble'],
      more: [
        ...['--model', 'openai/fake', '--json', '--set', `lm.base_url=${provider.baseUrl}`],
        ...['--set', `concurrency=${CONCURRENCY}`],
      ],
    });

  const resultOf = (stdout: string): JudgeMetrics => (JSON.parse(stdout) as JudgeResult).metrics;
  const WHOLE = {
    status: 'done',
    steps: STEPS,
    errors: 0,
    malformed_replies: EPISODES,
    lm_calls: CALLS,
    scores: { clear: { mean: 4, range: [1, 5] } },
  };

  it('survives the death of its command, and asks nothing again that was answered', async () => {
    const command = [...(await experiment('killed')), '--set', 'grain=unit'];
    const { code, stdout, stderr } = await place.killedAfter([10, 30], command, provider, LATENCY);
    expect(code, stderr).toBe(0);
    expect(resultOf(stdout)).toMatchObject(WHOLE);
    // What was in flight when the command was killed may have been answered to nobody.
    expect(provider.statistics.repeated).toBeLessThanOrEqual(2 * CONCURRENCY);
    const { artifacts } = JSON.parse(stdout) as JudgeResult;
    const text = await readFile(new URL(`${artifacts}/trajectories.jsonl`), 'utf8');
    expect(text.trim().split('\n')).toHaveLength(EPISODES);

    // Once more: everything is known.
    const { calls } = provider.statistics;
    expect(resultOf((await place.reprise(command)).stdout)).toMatchObject(WHOLE);
    expect(provider.statistics.calls).toBe(calls);
  });

  it('ends at a limit, and continues with a higher one', async () => {
    const command = await experiment('limited');
    const { calls } = provider.statistics;
    const first = await place.reprise([...command, '--set', 'limits.max_lm_calls=20']);
    expect(first.code).toBe(3);
    expect(resultOf(first.stdout)).toMatchObject({ status: 'limit_reached', lm_calls: 20, errors: 0 });
    expect(provider.statistics.calls).toBe(calls + 20);
    const second = await place.reprise(command);
    expect(second.code).toBe(0);
    expect(resultOf(second.stdout)).toMatchObject(WHOLE);
    expect(provider.statistics.calls).toBe(calls + CALLS);
  });

  it('pauses, continues and stops as it is told, and is listed', async () => {
    const command = await experiment('controlled');
    provider.latencyMs = LATENCY;
    const { calls } = provider.statistics;
    const { code, stdout } = await place.reprise([...command, '--detach']);
    expect(code).toBe(0);
    const { id } = JSON.parse(stdout) as { id: string };
    expect(id).toMatch(/^controlled\/judged\/rubric-fake-[0-9a-f]{8}$/);
    await until('calls arrive', () => provider.statistics.calls > calls + CONCURRENCY);
    // However long a command takes to start, the judgement is not over by then.
    provider.latencyMs = 30 * LATENCY;
    expect((await place.reprise(['pause', id])).code).toBe(0);
    const handle = (await place.client()).workflow.getHandle(id);
    expect((await handle.query<JudgeProgress>('progress')).phase).toBe('paused');
    expect((await place.reprise(['status'])).stdout).toContain(id);
    expect((await place.reprise(['status', id])).stdout).toMatch(/status +│ paused[\s\S]*steps +│ \d+ of /);
    expect((await place.reprise(['resume', id])).code).toBe(0);
    expect((await place.reprise(['stop', id])).stdout).toContain('calls in flight are finished first');
    const { metrics } = (await handle.result()) as JudgeResult;
    expect(metrics.status).toBe('stopped');
    expect(metrics.steps).toBeLessThan(STEPS);
    provider.latencyMs = 0;
    expect(resultOf((await place.reprise(command)).stdout)).toMatchObject(WHOLE);
  });

  it('is done where it is stopped when its last replies are on their way', async () => {
    const command = await experiment('late');
    provider.latencyMs = 0;
    const { calls } = provider.statistics;
    let release = () => {};
    provider.intercept = ({ number }) => {
      // The last call of all: nothing is left to begin after it.
      if (number - calls === CALLS) release = provider.hold();
      return undefined;
    };
    const running = place.start(command);
    await until('the last reply is held', () => provider.statistics.calls - calls === CALLS);
    const id = `late/judged/${(await readdir(place.path('results/late/judged')))[0]}`;
    expect((await place.reprise(['stop', id])).code).toBe(0);
    provider.intercept = undefined;
    release();
    const { code, stdout } = await running.done;
    expect(code).toBe(0);
    expect(resultOf(stdout)).toMatchObject(WHOLE);
  });

  it('asks the steps of a finished one again on which no reply was a verdict', async () => {
    const command = await experiment('malformed');
    provider.intercept = ({ lastUserText }) =>
      lastUserText.includes('stumble') || lastUserText.includes('no verdict')
        ? { kind: 'reply', text: 'Four.' }
        : undefined;
    const first = resultOf((await place.reprise(command)).stdout);
    expect(first).toMatchObject({
      status: 'done',
      steps: EPISODES,
      errors: EPISODES,
      lm_calls: 4 * EPISODES,
    });
    provider.intercept = undefined;
    const id = `malformed/judged/${(await readdir(place.path('results/malformed/judged')))[0]}`;
    const { code, stdout, stderr } = await place.reprise([
      'retry',
      id,
      '--type',
      'MalformedVerdict',
      '--json',
    ]);
    expect(code, stderr).toBe(0);
    expect(resultOf(stdout)).toMatchObject({
      ...{ status: 'done', steps: STEPS, errors: 0 },
      // Each of them stumbles once more before its verdict.
      lm_calls: 6 * EPISODES,
      malformed_replies: 4 * EPISODES,
    });
    const nothing = await place.reprise(['retry', id]);
    expect(nothing.stderr).toContain(`${id} has no errors: there is nothing to ask again.`);
  });
});
