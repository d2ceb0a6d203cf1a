import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, Workplace } from '../support/workplace.js';

/** Ends its worker with some samples, as a module that runs out of memory would. */
const POISON = `
import { Environment, finalStep, type StepOutcome, type ResetOutcome } from 'reprise';
import { setTimeout as sleep } from 'node:timers/promises';

export class PoisonEnv extends Environment {
  async reset(): Promise<ResetOutcome> {
    return { state: {}, obs: this.task.question };
  }
  async step(_state: object, action: string): Promise<StepOutcome> {
    // Long enough that others are in progress.
    await sleep(300);
    if (this.task.metadata.poison === true) process.kill(process.pid, 'SIGKILL');
    const correct = action.trim() === this.task.target;
    return finalStep({ correct, target: this.task.target ?? '', message: '' });
  }
}
`;

const SAMPLES = 20;
const POISONS = ['sum-7', 'sum-13'];

describe('samples that end their worker', () => {
  let place: Workplace;
  let provider: FakeProvider;
  let deaths = 0;
  let isOver = false;
  let keeping: Promise<void>;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai');
    await place.write('own/poison.ts', POISON);
    await place.write('own/package.json', '{"type": "module"}');
    await place.dev({ REPRISE_TASK_QUEUE: 'nobody' });
    // A machine that starts its worker again whenever it ends.
    keeping = (async () => {
      while (!isOver) {
        const worker = place.start(['worker']);
        const end = await Promise.race([worker.done, until(() => isOver)]);
        if (end === undefined) await place.kill(worker);
        else deaths += 1;
      }
    })();
  });

  afterAll(async () => {
    isOver = true;
    await keeping;
    await place.dispose();
    await provider.close();
  });

  async function until(holds: () => boolean): Promise<undefined> {
    while (!holds()) await sleep(50);
  }

  it('become error rows after a few deaths, and no other sample does', async () => {
    const config = sumsConfig(provider.baseUrl, SAMPLES, { name: 'poisoned', runtime: { concurrency: 10 } });
    const { dataset } = config as { dataset: { items: { id: string }[] } };
    const items = dataset.items.map((item) => ({ ...item, poison: POISONS.includes(item.id) }));
    const own = {
      items,
      task_type: 'custom',
      env_class: 'PoisonEnv',
      env_file: 'own/poison.ts',
      meta_fields: ['poison'],
    };
    await place.write('poisoned.yaml', { ...config, dataset: { ...dataset, ...own } });
    const { code } = await place.reprise(['run', 'poisoned.yaml', '--detach']);
    expect(code).toBe(0);
    const client = await place.client();
    await client.workflow.getHandle('poisoned').result();
    const metrics = await place.metrics('poisoned');
    expect(metrics).toMatchObject({
      status: 'incomplete',
      samples: SAMPLES,
      errors: POISONS.length,
      errors_by_type: { WorkerCrash: POISONS.length },
      correct: SAMPLES - POISONS.length,
    });
    const failed = (await place.rows('poisoned')).filter(({ error }) => error !== null);
    expect(failed.map(({ id }) => id)).toEqual(POISONS);
    expect(failed[0]?.error?.message).toMatch(/^given up: 5 workers died/);
    expect(deaths).toBeGreaterThanOrEqual(5);
    expect(deaths).toBeLessThanOrEqual(10);
    // With the module put right, the same command asks for those two.
    const asked = provider.statistics.calls;
    await place.write('own/poison.ts', POISON.replace(/^.*SIGKILL.*$/m, ''));
    isOver = true;
    await keeping;
    expect((await place.reprise(['run', 'poisoned.yaml'])).code).toBe(0);
    expect(await place.metrics('poisoned')).toMatchObject({ status: 'done', correct: SAMPLES, errors: 0 });
    expect(provider.statistics.calls).toBe(asked);
  });
});
