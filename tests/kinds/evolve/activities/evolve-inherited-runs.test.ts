import { expect, test } from 'vitest';
import { EvolveContext } from '../../../../src/kinds/evolve/activities/evolve-context.js';
import type { ScaffoldRunRecord } from '../../../../src/kinds/evolve/activities/scaffold-runs.js';
import { ScaffoldRuns } from '../../../../src/kinds/evolve/activities/scaffold-runs.js';
import { builtInDomain } from '../../../../src/kinds/evolve/evolution/domains/registry.js';
import { evolveForkKey } from '../../../../src/kinds/evolve/paths.js';
import type { ArtifactStore } from '../../../../src/storage/artifact-store.js';
import { temporaryStore } from '../../../activities/support.js';
import { dependencies } from '../../../activities/worker-support.js';
import { evolveConfigWith } from '../../../config/evolve-support.js';

const job = { scaffold: '0-1', iteration: 2, type: 'valid', example: 'v' } as const;
const services = { compareSymbolically: async () => undefined };

const paid: ScaffoldRunRecord = {
  ...job,
  key: 'k',
  score: 0.5,
  message: 'half',
  lm_calls: 3,
  usage: { input_tokens: 100, output_tokens: 20 },
  cost_usd: 0.25,
  result: {
    status: 'ok',
    output: 'half',
    exit_code: 0,
    stdout: '',
    stderr: '',
    seconds: 1,
  } as ScaffoldRunRecord['result'],
  at: '2026-01-01T00:00:00.000Z',
};

/** A fork whose origin has made a run since. */
async function fork(read: (store: ArtifactStore) => ArtifactStore = (store) => store) {
  const origin = await temporaryStore();
  await new ScaffoldRuns(origin).save(paid);
  const store = await temporaryStore();
  await store.write(evolveForkKey(), JSON.stringify({ artifacts: origin.uri, at_iteration: 1 }));
  const config = evolveConfigWith({});
  const domain = builtInDomain(config.domain.name as 'game24', config.domain.options, services);
  return new EvolveContext(read(store), config, domain, dependencies());
}

test('a run that the origin paid for is taken over, and costs the fork nothing', async () => {
  const context = await fork();
  const found = await context.findRun(job, 'k');
  const free = { lm_calls: 0, usage: { input_tokens: 0, output_tokens: 0 }, cost_usd: 0 };
  expect(found).toEqual({ ...paid, ...free });
  expect(await context.runs.get(job)).toEqual(found);
  expect(await context.findRun(job, 'another')).toBeNull();
});

test('an origin that could not be read is asked again', async () => {
  let failures = 1;
  const context = await fork(
    (store) =>
      new Proxy(store, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            if (name === 'readText' && given[0] === evolveForkKey() && failures-- > 0) {
              return Promise.reject(new Error('the store is unreachable'));
            }
            return value.apply(target, given);
          };
        },
      }),
  );
  await expect(context.findRun(job, 'k')).rejects.toThrow('the store is unreachable');
  expect((await context.findRun(job, 'k'))?.score).toBe(0.5);
});
