import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionRecord } from '../../src/contracts/execution.js';
import { findDocker, mustSkipDocker } from '../support/docker.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { readLines, readRecords, untilIn, Workplace } from '../support/workplace.js';

const CONFIG = 'configs/dynamic_cheatsheet_code.yaml';
const NAME = 'dynamic_cheatsheet_code';

async function placeWithConfigs(environment: Record<string, string>): Promise<Workplace> {
  const place = await Workplace.make(environment);
  await cp('configs', place.path('configs'), { recursive: true });
  return place;
}

const skip = mustSkipPython(await findPython());

describe('without a Docker daemon', () => {
  let place: Workplace;
  beforeAll(async () => {
    place = await placeWithConfigs({ DOCKER_HOST: 'unix:///nowhere/docker.sock' });
  });
  afterAll(() => place.dispose());

  it('a run that needs one says what to install, and what sandbox: process would mean', async () => {
    const { code, stderr } = await place.reprise(['run', CONFIG]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/sandbox: .*Docker/);
    expect(stderr).toContain('sandbox: process');
  });

  it.skipIf(skip)('sandbox: process warns, and runs the programs', async () => {
    const options = ['--set', 'sandbox=process', '--set', 'runtime.max_envs_to_visit=12'];
    const { code, stderr } = await place.reprise(['run', CONFIG, ...options]);
    expect(stderr).toContain('as your user on this machine');
    expect(code).toBe(0);
    expect(await place.metrics(NAME)).toMatchObject({ correct: 12, code_executions: 12 });
  });
});

const docker = await findDocker();

/** Of 250; at night the documented commands run all of them on the host. */
const PUZZLES = 80;

describe.skipIf(mustSkipDocker(docker))('puzzles, each solved by a program in a container', () => {
  const environment = 'missing' in docker ? {} : docker.environment;
  let place: Workplace;
  beforeAll(async () => {
    place = await placeWithConfigs(environment);
  });
  afterAll(() => place.dispose());

  it('survives a killed worker, and runs no program again that had ended', async () => {
    const command = ['run', CONFIG, '--set', `runtime.max_envs_to_visit=${PUZZLES}`];
    const first = place.start(command);
    const samples = new RegExp(`(\\d+) of ${PUZZLES} samples`, 'g');
    const progress = () => Number([...first.output().matchAll(samples)].at(-1)?.[1] ?? 0);
    await untilIn(first, 'some are done', () => progress() >= 20, 250_000);
    await place.kill(first);
    const before = [
      ...(await readRecords<ExecutionRecord>(place.path('results', NAME, 'executions'))).values(),
    ];
    const { code, stderr } = await place.reprise(command);
    expect(stderr).not.toContain('rror:');
    expect(code).toBe(0);
    expect(await place.metrics(NAME)).toMatchObject({
      samples: PUZZLES,
      correct: PUZZLES,
      errors: 0,
      lm_calls: 2 * PUZZLES,
      code_executions: PUZZLES,
      code_executions_failed: 0,
    });
    const executions = await readLines<ExecutionRecord>(place.path('results', NAME, 'executions.jsonl'));
    expect(executions.map(({ sample_id }) => sample_id)).toEqual(
      Array.from({ length: PUZZLES }, (_, index) => `equation-${index}`),
    );
    // Run again, a program would have taken the place of its own record: the time tells.
    expect(before.length).toBeGreaterThanOrEqual(20);
    expect(executions).toEqual(expect.arrayContaining(before));
    expect(new Set(executions.map(({ sandbox, status }) => `${sandbox} ${status}`))).toEqual(
      new Set(['docker ok']),
    );
  }, 600_000);
});
