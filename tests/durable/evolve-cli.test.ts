import { randomUUID } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvolveResult } from '../../src/kinds/evolve/results.js';
import { evolveMetricsOf, experimentOf, treeOf } from '../support/evolutions.js';
import { expectInvalidInput } from '../support/invalid-input.js';
import { findPython, mustSkipPython } from '../support/python.js';
import { Workplace } from '../support/workplace.js';

const CONFIG = 'configs/evolve_game24.yaml';
const SMALL = [
  'data.generate.valid=12',
  'data.generate.test=0',
  'evolution.num_iterations=1',
  'evolution.num_validation_examples=3',
];

const skip = mustSkipPython(await findPython());

describe.skipIf(skip)('an evolution started by the Temporal CLI alone', () => {
  let place: Workplace;

  beforeAll(async () => {
    place = await Workplace.make();
    await cp('configs', place.path('configs'), { recursive: true });
    // Programs with all rights of the worker are no start's by itself.
    await place.dev({ REPRISE_ALLOWED_SANDBOXES: 'process' });
  });
  afterAll(() => place?.dispose());

  const start = (id: string, input: object) =>
    place.startWorkflow('evolve', id, '--input', JSON.stringify(input));

  it('has the folder and the figures that reprise evolve gives it', async () => {
    const set = [...SMALL, 'sandbox=process'];
    expect((await start('by-cli', { config_path: CONFIG, set, name: 'by-cli' })).code).toBe(0);
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', 'by-cli');
    const { result, status } = JSON.parse(stdout) as { result: EvolveResult; status: string };
    expect(status).toBe('COMPLETED');
    expect(result.metrics).toMatchObject({ kind: 'evolve', status: 'done', iterations: 2, lm_calls: 5 });
    const folder = await experimentOf(place, 'by-cli');
    expect(fileURLToPath(result.artifacts)).toBe(folder);
    expect(await evolveMetricsOf(folder)).toEqual(result.metrics);

    const words = ['evolve', CONFIG, '--experiment-name', 'by-command'];
    const command = await place.reprise([...words, ...set.flatMap((one) => ['--set', one])]);
    expect(command.code, command.stderr).toBe(0);
    expect(await treeOf(folder)).toEqual(await treeOf(await experimentOf(place, 'by-command')));
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('</html>');

    const query = ['temporal', 'workflow', 'query', '--workflow-id', 'by-cli', '--type', 'progress'];
    const asked = await place.reprise(query);
    expect(asked.stdout + asked.stderr).toMatch(/"phase":\s*"done"/);
    const shown = await place.reprise(['status', 'by-cli']);
    expect(shown.stdout).toContain('Best scaffold: ');
  }, 180_000);

  it.each([
    [{ config_path: 'missing.yaml' }, /missing\.yaml/],
    [{ config_path: CONFIG, set: ['evolution.scaffolds_per_iter=9'] }, /evolution\.scaffolds_per_iter: 9 /],
    [{ fork: { experiment: 'nowhere', at_iteration: 1 } }, /fork: there is no experiment 'nowhere'/],
  ])('fails at once and for good with bad input: %j', async (input, message) => {
    const id = `bad-${randomUUID()}`;
    await start(id, input);
    const { stdout } = await place.temporal('workflow', 'result', '--workflow-id', id);
    expectInvalidInput(JSON.parse(stdout), message);
  });
});
