import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUERIES } from '../../src/contracts/names.js';
import type { RunProgress } from '../../src/kinds/run/contracts.js';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { expectInvalidInput } from '../support/invalid-input.js';
import { type Running, sumsConfig, until, Workplace } from '../support/workplace.js';

describe('a run started by the Temporal CLI alone', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let dev: Running;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    dev = await place.dev({ REPRISE_ALLOWED_SERVERS: provider.baseUrl });
    await place.write('sums.yaml', sumsConfig(provider.baseUrl, 10));
    await place.write('sums.json', JSON.stringify(sumsConfig(provider.baseUrl, 5, { name: undefined })));
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const start = (id: string, ...input: string[]) => place.startWorkflow('run', id, ...input);

  it('with a config’s path', async () => {
    const started = await start('by-path', '--input', '{"config_path": "sums.yaml"}');
    expect(started.code).toBe(0);
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', 'by-path');
    const { result, status } = JSON.parse(stdout);
    expect(status).toBe('COMPLETED');
    expect(result.metrics).toMatchObject({ status: 'done', samples: 10, correct: 10 });
    expect(await place.metrics('by-path')).toEqual(result.metrics);
  });

  it('with overrides beside the path', async () => {
    const input = { config_path: 'sums.yaml', set: ['runtime.max_envs_to_visit=3'] };
    await start('fewer', '--input', JSON.stringify(input));
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', 'fewer');
    expect(JSON.parse(stdout).result.metrics.samples).toBe(3);
  });

  it('with the config itself', async () => {
    await start('by-file', '--input-file', 'sums.json');
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', 'by-file');
    expect(JSON.parse(stdout).result.metrics).toMatchObject({ name: 'by-file', samples: 5, correct: 5 });
  });

  it('through reprise’s own copy of the CLI', async () => {
    const { code, stdout } = await place.reprise(['temporal', 'workflow', 'list', '--output', 'json']);
    expect(code).toBe(0);
    expect(stdout).toContain('by-path');
  });

  it('but not from a folder that has no server, whoever’s runs at the usual port', async () => {
    const elsewhere = { REPRISE_SERVER_DIR: place.path('elsewhere') };
    const listed = await place.reprise(['temporal', 'workflow', 'list'], elsewhere);
    expect(listed).toMatchObject({ code: 2, stdout: '' });
    expect(listed.stderr).toMatch(/^no run was started in .* yet, and TEMPORAL_ADDRESS is not set\n$/);
    const { code, stdout } = await place.reprise(['temporal', 'workflow', 'list', '--help'], elsewhere);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage:');
  });

  it('of a type that there is not, fails at once and says which there are', async () => {
    const before = dev.output();
    await place.startWorkflow('runs', 'mistyped', '--input', '{}');
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', 'mistyped');
    expectInvalidInput(JSON.parse(stdout), /there is no workflow 'runs', only run, .*did you mean 'run'\?/);
    expect(dev.output()).toBe(before);
  });

  it('on a namespace where others work as well: a worker that is to end when all is done ends', async () => {
    const others = ['--task-queue', 'others', '--type', 'Theirs', '--workflow-id', 'theirs'];
    expect((await place.temporal('workflow', 'start', ...others)).code).toBe(0);
    const { code, stderr } = await place.reprise(['worker', '--until-idle']);
    expect(code, stderr).toBe(0);
    const described = await place.temporal('workflow', 'describe', '--workflow-id', 'theirs');
    expect(described.stdout).toContain('WORKFLOW_EXECUTION_STATUS_RUNNING');
  });

  it.each([
    ['{"config_path": "missing.yaml"}', /missing\.yaml/],
    ['{"config_path": "sums.yaml", "sett": []}', /sett: unknown field beside config_path/],
    ['{"config_path": "sums.yaml", "set": ["runtime.num_trials=0"]}', /runtime\.num_trials/],
    ['{"dataset": {"items": [{"q": "x"}]}, "lm": {"model": "openai/x"}}', /lm\.model: .*OPENAI_API_KEY/],
    [
      '{"dataset": {"items": [{"q": "x"}]}, "agent": {"type": "genius"}, "lm": {"model": "openai/x"}}',
      /agent/,
    ],
    ['{"config_path": "sums.yaml", "name": 3}', /name: is the run’s name, a text/],
    ['{"config_path": "sums.yaml", "set": "a=b"}', /set: is a list of texts/],
    ['{"config_path": "sums.yaml", "set": {"a": 1}}', /set: is a list of texts/],
    ['{"config_path": 3, "results_dir": {}}', /config_path: is [\s\S]*results_dir: is a folder, a text/],
    ['[1]', /the input of run/],
    ['"text"', /the input of run/],
    ['null', /the input of run/],
  ])('fails at once and for good with bad input: %s', async (input, message) => {
    const id = `bad-${randomUUID()}`;
    await start(id, '--input', input);
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', id);
    expectInvalidInput(JSON.parse(stdout), message);
    const described = JSON.parse((await place.temporal('workflow', 'describe', '--workflow-id', id)).stdout);
    // Started, one task, one activity that fails, one task, failed: nothing was tried again.
    expect(Number(described.workflowExecutionInfo.historyLength)).toBeLessThan(14);
  });

  it('pauses, resumes, changes its pace and stops by signals', async () => {
    const send = provider.hold();
    const id = 'by-signals';
    const count = 60;
    await place.write('many.json', JSON.stringify(sumsConfig(provider.baseUrl, count, { name: undefined })));
    await start(id, '--input-file', 'many.json');
    const handle = (await place.client()).workflow.getHandle(id);
    const shown = () => handle.query<RunProgress>(QUERIES.progress);
    const signal = async (name: string, ...input: string[]) => {
      const sent = await place.temporal('workflow', 'signal', '--workflow-id', id, '--name', name, ...input);
      expect(sent.code, sent.stderr).toBe(0);
    };
    await until('it runs', async () => (await shown()).phase === 'running');
    await signal('pause');
    await until('it is paused', async () => (await shown()).phase === 'paused');
    await signal('setConcurrency', '--input', '3');
    await until('it has another pace', async () => (await shown()).concurrency === 3);
    await signal('setConcurrency', '--input', '"many"');
    await signal('resume');
    await until('it runs', async () => (await shown()).phase === 'running');
    expect(await shown()).toMatchObject({ concurrency: 3 });
    await signal('stop');
    await until('it stops', async () => (await shown()).phase === 'stopping');
    send();
    expect(await handle.result()).toMatchObject({ metrics: { status: 'stopped' } });
    expect((await place.metrics(id)).samples).toBeLessThan(count);
  });
});
