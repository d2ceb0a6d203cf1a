import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, runInProcess } from '../../src/in-process/index.js';
import { readLines, timeless, timelessMetrics, Workplace } from '../support/workplace.js';

/** Fields that hold a time, or tell one name from another. */
const PASSING = ['at', 'latency_ms', 'started_at', 'ended_at', 'seconds', 'wall_seconds'];

function lasting(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (PASSING.includes(key) ? undefined : inner)));
}

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.make();
  await mkdir(workplace.path('data'));
  await copyFile('configs/data/game24.jsonl', workplace.path('data', 'game24.jsonl'));
  for (const name of ['toy_inmemory', 'reflexion']) {
    await copyFile(`configs/${name}.yaml`, workplace.path(`${name}.yaml`));
  }
  await workplace.dev();
});
afterAll(() => workplace.dispose());

const QUICK = ['lm.simulation.latency_ms=0', 'lm.simulation.error_rate=0'];

describe('a plain loop gives what a durable run gives', () => {
  it.each([
    ['one memory', 'toy_inmemory', [], 0],
    ['a memory each, several trials', 'reflexion', QUICK, 0],
    [
      'no memory carried, replies shared',
      'reflexion',
      [
        ...QUICK,
        ...['runtime.max_envs_to_visit=8', 'runtime.carry_memory_across_trials=false', 'lm.cache=true'],
        'runtime.early_stop_on_success=false',
      ],
      0,
    ],
    ['a limit', 'toy_inmemory', ['limits.max_lm_calls=3'], 3],
  ])('%s', async (what, name, overrides, exitCode) => {
    const path = workplace.path(`${name}.yaml`);
    const set = overrides.flatMap((override) => ['--set', override]);
    // One folder a case: a finished run of the same name is never written over.
    const place = `${what.replaceAll(/\W+/g, '-')}/${name}`;
    const resultsDir = join('results', dirname(place));
    const { code, stderr } = await workplace.reprise(['run', path, '--results-dir', resultsDir, ...set]);
    expect(code, stderr).toBe(exitCode);
    const loop = await runInProcess(loadConfig(path, { overrides }), { trajectories: true });
    expect(timelessMetrics(loop.metrics)).toEqual(timelessMetrics(await workplace.metrics(place)));
    expect(timeless(loop.rows)).toEqual(timeless(await workplace.rows(place)));
    expect(lasting(loop.calls)).toEqual(lasting(await workplace.calls(place)));
    const written = (file: string) => readLines<object>(workplace.path('results', place, file));
    expect(lasting(loop.trajectories)).toEqual(lasting(await written('trajectories.jsonl')));
    const memory = await readFile(workplace.path('results', place, 'memory.json'), 'utf8');
    expect(lasting(loop.memory)).toEqual(JSON.parse(memory));
  });
});
