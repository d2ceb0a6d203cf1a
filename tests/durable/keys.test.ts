import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { sumsConfig, until, untilIn, Workplace } from '../support/workplace.js';

const ONE = { OPENAI_API_KEY: 'key-of-one' };
const OTHER = { OPENAI_API_KEY: 'key-of-the-other' };

describe('two commands in one folder, each with its own key', () => {
  let place: Workplace;
  let provider: FakeProvider;

  beforeAll(async () => {
    place = await Workplace.make();
    provider = await startFakeProvider('openai', { latencyMs: 800 });
  });

  afterAll(async () => {
    await provider.close();
    await place.dispose();
  });

  const write = (name: string, samples: number) => {
    const runtime = { concurrency: 4 };
    return place.write(
      `${name}.yaml`,
      sumsConfig(provider.baseUrl, samples, { name, runtime, lm: { model: `openai/${name}` } }),
    );
  };
  /** The keys that a model was asked with. */
  const keysOf = (name: string) => [
    ...new Set(
      provider.requests.filter(({ model }) => model === name).map(({ headers }) => headers.authorization),
    ),
  ];

  it('ask with their own, also where another one’s worker is there, and continue where that one has died', async () => {
    await write('slow', 240);
    await write('quick', 12);
    const slow = place.start(['run', 'slow.yaml'], ONE);
    await untilIn(slow, 'it asks', () => provider.statistics.calls > 4);

    const quick = await place.reprise(['run', 'quick.yaml'], OTHER);
    expect(quick.code, quick.stderr).toBe(0);
    expect(keysOf('quick')).toEqual(['Bearer key-of-the-other']);
    expect(keysOf('slow')).toEqual(['Bearer key-of-one']);

    const send = provider.hold();
    const watching = place.start(['run', 'slow.yaml'], OTHER);
    await untilIn(watching, 'it says who works', () =>
      watching.output().includes(`Process ${slow.process.pid} works on it`),
    );
    send();
    const { calls } = provider.statistics;
    await until('more is asked', () => provider.statistics.calls > calls + 8);
    expect(keysOf('slow')).toEqual(['Bearer key-of-one']);

    await place.kill(slow);
    provider.latencyMs = 0;
    const { code, stdout } = await watching.done;
    expect(code, stdout).toBe(0);
    expect(keysOf('slow')).toEqual(['Bearer key-of-one', 'Bearer key-of-the-other']);
    expect(await place.metrics('slow')).toMatchObject({ status: 'done', samples: 240 });
  });

  it('leave what runs in the background to a worker with the key of the command', async () => {
    await write('behind', 20);
    expect((await place.reprise(['run', 'behind.yaml', '--detach'], ONE)).code).toBe(0);
    await write('before', 20);
    expect((await place.reprise(['run', 'before.yaml'], OTHER)).code).toBe(0);
    await until(
      'the other one is done',
      async () => (await place.metrics('behind').catch(() => null))?.status === 'done',
    );
    expect([keysOf('behind'), keysOf('before')]).toEqual([
      ['Bearer key-of-one'],
      ['Bearer key-of-the-other'],
    ]);
  });
});
