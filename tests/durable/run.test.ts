import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import {
  additions,
  readLines,
  sumsConfig,
  timeless,
  timelessMetrics,
  until,
  untilIn,
  Workplace,
} from '../support/workplace.js';

describe('reprise run, on the embedded server', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make({}, { keepsServer: false });
    provider = await startFakeProvider('openai');
    // A wrong answer to every sum whose first number ends with 3.
    provider.intercept = ({ lastUserText }) =>
      /is \d*3 \+/.test(lastUserText) ? { kind: 'reply', text: 'It is -1.' } : undefined;
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 20));
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  it('ends with the figures that the replies deserve, the same in every place', async () => {
    const { code, stdout, stderr } = await place.reprise(['run', 'sums.yaml']);
    expect(stderr).toMatch(/Started sums on 127\.0\.0\.1:\d+/);
    expect(stderr).toMatch(/Temporal UI: http:\/\/127\.0\.0\.1:\d+/);
    expect(stderr).toContain('20 of 20 samples · accuracy 90.0 % · 20 LM calls · cost unknown · done');
    expect(stdout).toContain(
      '90.0 %, stderr 6.9 %, 95 % interval 75.0 % to 100.0 %, 18 of 20 judged samples',
    );
    expect(stdout).toContain('Artifacts: results/sums');
    expect(code).toBe(0);
    const metrics = await place.metrics('sums');
    expect(metrics).toMatchObject({
      name: 'sums',
      status: 'done',
      samples: 20,
      samples_planned: 20,
      episodes: 20,
      correct: 18,
      accuracy: 0.9,
      errors: 0,
      success_by_trial: [0.9],
      lm_calls: 20,
      lm_calls_repeated: 0,
      cost_usd: null,
      by_task: { MathQAEnv: { samples: 20, correct: 18 } },
    });
    const rows = await place.rows('sums');
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `sum-${index}`));
    expect(rows.map(({ info }) => info)).toEqual(rows.map(({ id }) => ({ question_id: id })));
    expect(rows.filter((row) => row.feedback?.correct).length).toBe(metrics.correct);
    const calls = await place.calls('sums');
    expect(calls.length).toBe(metrics.lm_calls);
    expect(calls.reduce((sum, call) => sum + (call.usage?.output_tokens ?? 0), 0)).toBe(
      metrics.usage.output_tokens,
    );
    expect(provider.statistics).toMatchObject({ calls: 20, distinctKeys: 20 });
  });

  it('leaves the promised files and nothing else', async () => {
    const names = (await readdir(place.path('results', 'sums'), { recursive: true })).sort();
    expect(names).toEqual([
      'calls.jsonl',
      'code.json',
      'config.yaml',
      'dataset',
      'dataset/000000.jsonl',
      'memory.json',
      'metrics.json',
      'owners',
      'owners/000001-ended.json',
      'owners/000001.json',
      'plan.json',
      'report.html',
      'results.jsonl',
      'run.log',
      'trajectories.jsonl',
      'view',
      'view/index.json.gz',
    ]);
    const log = await readLines<{ level: string; msg: string }>(place.path('results', 'sums', 'run.log'));
    expect(log.filter(({ msg }) => msg === 'episode').length).toBe(20);
    const trajectories = await readLines(place.path('results', 'sums', 'trajectories.jsonl'));
    expect(trajectories.length).toBe(20);
  });

  it('asks sample by sample, side by side, where nothing of an agent or a memory is said, and says so', async () => {
    const {
      agent: _agent,
      runtime: _runtime,
      ...least
    } = sumsConfig(provider.baseUrl, 6) as Record<string, object>;
    await place.write('least.yaml', { ...least, name: 'least' });
    const before = provider.requests.length;
    const { code, stderr } = await place.reprise(['run', 'least.yaml']);
    expect(code).toBe(0);
    const means = [
      'Samples are independent: nothing of one is shown to another, and up to 10 are at work at once.',
      'Each prompt shows its question alone.',
    ];
    expect(stderr.split('\n').slice(0, 4)).toEqual([
      expect.stringMatching(/^Started least on /),
      ...means,
      expect.stringMatching(/^Temporal UI: /),
    ]);
    const config = await readFile(place.path('results', 'least', 'config.yaml'), 'utf8');
    expect(config.split('\n').slice(0, 3)).toEqual(['---', ...means.map((said) => `# ${said}`)]);
    expect(parse(config).runtime).toMatchObject({ memory_scope: 'sample', concurrency: 10 });
    const prompts = provider.requests.slice(before).map(({ lastUserText }) => lastUserText);
    expect(prompts.sort()).toEqual(additions(6).map(({ question }) => `Observation: ${question}`));

    await place.write('named.yaml', { ...least, name: 'named', agent: { type: 'history_agent' } });
    const named = await place.reprise(['run', 'named.yaml', '--detach']);
    expect(named.stderr).toContain('Samples go one after another and share one memory');
    const shows =
      'Each prompt shows its question and the last 10 memory entries (three a step: what was asked, answered and judged, with the right answers) of the samples before it.';
    expect(named.stderr).toContain(shows);
    await until(
      'it is done',
      async () => (await place.metrics('named').catch(() => null))?.status === 'done',
    );
    const asked = provider.requests.slice(before + 6).map(({ lastUserText }) => lastUserText);
    expect(asked.map((prompt) => prompt.split('Feedback: ').length - 1)).toEqual([0, 1, 2, 3, 4, 4]);
    // The same sentences at its end, wherever its figures are.
    expect((await place.metrics('named'))?.in_words?.[1]).toBe(shows);
    expect((await place.reprise(['status', 'named'])).stdout).toContain(`\n  ${shows}\nArtifacts: `);
    expect(await readFile(place.path('results', 'named', 'report.html'), 'utf8')).toContain(shows);
  });

  it('never writes over a finished run: the next one gets a name of its own', async () => {
    const before = await readFile(place.path('results', 'sums', 'metrics.json'), 'utf8');
    const { code, stdout } = await place.reprise(['run', 'sums.yaml', '--json']);
    expect(code).toBe(0);
    const { metrics } = JSON.parse(stdout);
    expect(metrics.experiment).toBe('sums-2');
    expect(await readFile(place.path('results', 'sums', 'metrics.json'), 'utf8')).toBe(before);
    expect(timeless(await place.rows('sums-2'))).toEqual(timeless(await place.rows('sums')));
  });

  it('replays its own calls for nothing, and lands on the same rows', async () => {
    const calls = provider.statistics.calls;
    const config = sumsConfig(provider.baseUrl, 20, {
      name: 'replayed',
      lm: {
        model: undefined,
        base_url: undefined,
        provider: 'replay',
        recording: 'results/sums/calls.jsonl',
      },
    });
    await place.write('replayed.yaml', JSON.parse(JSON.stringify(config)));
    const { code, stderr } = await place.reprise(['run', 'replayed.yaml']);
    expect(stderr).not.toContain('rror');
    expect(code).toBe(0);
    expect(provider.statistics.calls).toBe(calls);
    const unpaid = (rows: object[]) => rows.map((row) => ({ ...row, cost_usd: 0 }));
    expect(unpaid(timeless(await place.rows('replayed')))).toEqual(
      unpaid(timeless(await place.rows('sums'))),
    );
  });

  it('grades a finished run again without a call', async () => {
    const { calls } = provider.statistics;
    const { code, stdout } = await place.reprise(['score', 'sums', '--json']);
    expect(code).toBe(0);
    const { before, metrics, changed } = JSON.parse(stdout);
    expect(changed).toEqual([]);
    expect(metrics.correct).toBe(before.correct);
    expect(provider.statistics.calls).toBe(calls);
  });

  it('attaches to a run in progress: two commands, one run, every call once', async () => {
    const calls = provider.statistics.calls;
    const send = provider.hold();
    await place.write('both.yaml', sumsConfig(provider.baseUrl, 40, { name: 'both' }));
    const first = place.start(['run', 'both.yaml', '--json']);
    await until('the first call arrives', () => provider.statistics.calls > calls);
    const second = place.start(['run', 'both.yaml']);
    await untilIn(second, 'it has found the run', () => second.output().includes('Attached to both'));
    send();
    const [one, two] = await Promise.all([first.done, second.done]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(timelessMetrics(JSON.parse(one.stdout).metrics)).toEqual(
      timelessMetrics(await place.metrics('both')),
    );
    expect(provider.statistics).toMatchObject({ calls: calls + 40, repeated: 0 });
  });

  it('says nothing of what another run waits for, though its worker does the work of both', async () => {
    const before = provider.intercept;
    let refused = 0;
    provider.intercept = (request) => {
      if (!request.lastUserText.includes('trouble')) return before?.(request);
      refused += 1;
      return { kind: 'status', status: 503, message: 'no room for troubled' };
    };
    provider.latencyMs = 500;
    const calmly = { name: 'calm', runtime: { concurrency: 4 } };
    await place.write('calm.yaml', sumsConfig(provider.baseUrl, 80, calmly));
    const items = additions(4).map((item) => ({ ...item, question: `${item.question} (trouble)` }));
    const troubled = { name: 'troubled', dataset: { items }, lm: { model: 'openai/other' } };
    await place.write('troubled.yaml', sumsConfig(provider.baseUrl, 4, troubled));
    const calm = place.start(['run', 'calm.yaml']);
    await untilIn(calm, 'it works', () => calm.output().includes('Started calm'));
    await place.startWorkflow('run', 'troubled', '--input', '{"config_path": "troubled.yaml"}');
    await untilIn(calm, 'the other one is refused', () => refused >= 3);
    provider.latencyMs = 0;
    const { code, stderr } = await calm.done;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/openai\/other|trouble/);
    provider.intercept = before;
    expect((await place.reprise(['run', 'troubled.yaml'])).code).toBe(0);
    expect((await place.metrics('troubled')).samples).toBe(4);
  });

  it('ends the server with its last user', async () => {
    const server = await place.server();
    await until('the server is gone', () => {
      try {
        process.kill(server?.pid ?? -1, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});
