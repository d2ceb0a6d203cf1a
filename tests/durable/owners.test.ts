import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, untilIn, Workplace } from '../support/workplace.js';

const SAMPLES = 100;
const LANES = 8;

describe('two Temporal servers with one results folder', () => {
  let here: Workplace;
  let there: Workplace;
  let provider: FakeProvider;

  beforeEach(async () => {
    [here, there] = await Promise.all([Workplace.make(), Workplace.make()]);
    provider = await startFakeProvider('openai', { latencyMs: 300 });
    const output = { results_dir: here.path('results') };
    const config = sumsConfig(provider.baseUrl, SAMPLES, { runtime: { concurrency: LANES }, output });
    for (const place of [here, there]) await place.write('sums.yaml', config);
  });

  afterEach(async () => {
    await Promise.all([here.dispose(), there.dispose()]);
    await provider.close();
  });

  const calls = () => provider.statistics.calls;

  it('let one write: the other one says who does, asks for nothing and changes nothing', async () => {
    // However long the second one takes to start, the first one is at work.
    const release = provider.hold();
    const first = here.start(['run', 'sums.yaml']);
    await untilIn(first, 'calls arrive', () => calls() > 0);
    const second = await there.reprise(['run', 'sums.yaml']);
    expect(second.code).toBe(2);
    expect(calls()).toBeLessThanOrEqual(LANES);
    release();
    expect(second.stderr).toMatch(
      /is being written by the workflow 'sums' of another Temporal server .*: wait for it or stop it, or give this one another name/,
    );
    expect(await first.done).toMatchObject({ code: 0 });
    expect(await here.metrics('sums')).toMatchObject({ status: 'done', correct: SAMPLES, lm_calls: SAMPLES });
    expect(provider.statistics.repeated).toBe(0);
  });

  it('hand over what stands still, and it stops with the reason when it wakes', async () => {
    const first = here.start(['run', 'sums.yaml']);
    await untilIn(first, 'calls arrive', () => calls() > 2 * LANES);
    const server = (await here.server()) as { pid: number };
    const frozen = [server.pid, first.process.pid as number];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    const second = there.start(['run', 'sums.yaml']);
    const before = calls();
    await untilIn(second, 'it works', () => calls() > before + LANES);
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    const [woken, other] = await Promise.all([first.done, second.done]);
    expect(woken.code).toBe(1);
    expect(woken.stderr).toMatch(/the run failed: .* was taken over by the workflow 'sums'/);
    expect(other.code).toBe(0);
    expect(await here.metrics('sums')).toMatchObject({ status: 'done', samples: SAMPLES, correct: SAMPLES });
    // What was in progress when they stopped, and what each lane began before it heard of the other.
    expect(provider.statistics.repeated).toBeLessThanOrEqual(3 * LANES);
  });
});
