import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkerDependencies } from '../../../../src/activities/dependencies.js';
import { paidEmbeddings } from '../../../../src/kinds/run/activities/embeddings.js';
import { createMemoryActivities } from '../../../../src/kinds/run/activities/memory-activities.js';
import type { SearchExperiencesInput } from '../../../../src/kinds/run/contracts.js';
import { paidEmbeddingsPrefix } from '../../../../src/kinds/run/paths.js';
import type { ExperienceEntry } from '../../../../src/memory/entries.js';
import { openStore } from '../../../../src/storage/open.js';
import { interceptWrites, storageError, temporaryStore } from '../../../activities/support.js';
import { activitiesOf, dependencies, preparedRun } from '../../../activities/worker-support.js';
import { experience } from '../../../memory/support.js';
import { configOf } from '../../../support/configs.js';
import { type FakeProvider, startFakeProvider } from '../../../support/fake-providers/fake-provider.js';

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider('openai');
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.requests.length = 0;
  provider.intercept = undefined;
});

const fruit = (...names: string[]): ExperienceEntry[] => names.map((name) => experience(`${name} ${name}`));
const names = (entries: readonly ExperienceEntry[]) => entries.map(({ obs }) => obs.split(' ').at(-1));
const embedded = () => provider.requests.flatMap(({ texts = [] }) => texts);

async function place(memory_scope: 'run' | 'sample', ...loaded: string[]) {
  const store = await temporaryStore();
  const results = store.within('results');
  const config = configOf({
    dataset: { items: [1, 2, 3].map((number) => ({ question: `q${number}`, answer: 'a' })) },
    runtime: { memory_scope },
    agent: { type: 'dynamic_cheatsheet_agent', mode: 'dynamic_retrieval' },
    memory: {
      _type: 'hybrid',
      retrieval: { backend: 'embedding', model: 'openai/text-embedding-3-small', base_url: provider.baseUrl },
    },
    output: { results_dir: results.uri },
  });
  const newRun = async (name: string) => {
    const folder = results.within(name);
    const experiences = fruit(...loaded);
    const run = await preparedRun(folder, config, {
      loaded: { _type: 'hybrid', cheatsheet: '', versions: [], experiences },
    });
    const input = (fields: Partial<SearchExperiencesInput>): SearchExperiencesInput => ({
      ...{ run, execution: 'e', lane: 0, sequence: 0, from: 0, entries: [], count: 0, k: 10 },
      ...fields,
    });
    return { folder, input };
  };
  const newWorker = (fields: Partial<WorkerDependencies> = {}) =>
    activitiesOf(createMemoryActivities, dependencies({ environment: { OPENAI_API_KEY: 'key' }, ...fields }));
  return { ...(await newRun('one')), newRun, newWorker };
}

describe('a search by vectors', () => {
  test('finds what is similar, and says what its vectors cost', async () => {
    const { input, newWorker, folder } = await place('run', 'plum');
    const { experiences, embeddings } = await newWorker().searchExperiences(
      input({ entries: fruit('pear', 'quince'), count: 2, text: 'pear' }),
    );
    expect(names(experiences).at(-1)).toBe('pear');
    expect(embedded().toSorted()).toEqual(['pear', 'pear pear', 'plum plum', 'quince quince']);
    expect(embeddings).toMatchObject({ texts: 4, input_tokens: expect.any(Number) });
    expect(await paidEmbeddings(folder)).toEqual(embeddings);
  });

  test('pays for no text twice: not in another attempt, by another worker, or in another run', async () => {
    const { input, newWorker, newRun, folder } = await place('run', 'plum');
    const worker = newWorker();
    const asked = { entries: fruit('pear'), count: 1, text: 'plum' };
    const first = await worker.searchExperiences(input(asked));
    const paid = embedded().length;
    expect(await worker.searchExperiences(input(asked))).toEqual({ experiences: first.experiences });
    expect(await newWorker().searchExperiences(input(asked))).toEqual({ experiences: first.experiences });
    const two = await newRun('two');
    expect(await newWorker().searchExperiences(two.input(asked))).toEqual({ experiences: first.experiences });
    expect(embedded()).toHaveLength(paid);
    expect(await paidEmbeddings(folder)).toEqual(first.embeddings);
    expect(await paidEmbeddings(two.folder)).toBeNull();
  });

  test('whose provider is unreachable is made again, with this worker, and answers then', async () => {
    const { input, newWorker } = await place('run', 'plum');
    const notices: string[] = [];
    const worker = newWorker({ notify: (message) => notices.push(message) });
    const asked = (sequence: number, name: string) =>
      input({ sequence, from: sequence, entries: fruit(name), count: sequence + 1, text: 'fig' });
    for (const [sequence, name] of ['fig', 'pear', 'apple'].entries()) {
      provider.intercept = () => ({ kind: 'status', status: 503, message: 'away' });
      await expect(worker.searchExperiences(asked(sequence, name))).rejects.toThrow();
      provider.intercept = undefined;
      const { experiences } = await worker.searchExperiences(asked(sequence, name));
      expect(names(experiences).at(-1)).toBe('fig');
    }
    expect(notices).toHaveLength(3);
    expect(notices[0]).toMatch(/^Asking again: .*away/);
    const newest = await worker.searchExperiences(input({ sequence: 3, from: 3, count: 3 }));
    expect(names(newest.experiences)).toEqual(['plum', 'fig', 'pear', 'apple']);
  });

  test('notes what it paid once the store takes it, and only once', async () => {
    const { input, newWorker, folder } = await place('run', 'plum');
    const notices: string[] = [];
    const tried: string[] = [];
    // Written, but the answer is lost: it is written again.
    const openStoreThatFails = (address: string) =>
      interceptWrites(openStore(address), paidEmbeddingsPrefix(), async (key, write) => {
        tried.push(key);
        const written = await write();
        if (tried.length < 3) throw storageError('away', true);
        return written;
      });
    const { embeddings } = await newWorker({
      openStore: openStoreThatFails,
      notify: (message) => notices.push(message),
    }).searchExperiences(input({ count: 0, text: 'pear' }));
    expect(tried.length).toBeGreaterThan(2);
    expect(notices[0]).toBe('Waiting to note what vectors have cost: away');
    expect(await paidEmbeddings(folder)).toEqual(embeddings);
  });

  test('whose note the store refuses fails, and nothing else does', async () => {
    const { input, newWorker } = await place('run', 'plum');
    const refusing = (address: string) =>
      interceptWrites(openStore(address), paidEmbeddingsPrefix(), async () => {
        throw storageError('access denied', false);
      });
    // Vitest fails a run that leaves a rejection unhandled.
    await expect(
      newWorker({ openStore: refusing }).searchExperiences(input({ count: 0, text: 'pear' })),
    ).rejects.toMatchObject({ message: 'access denied', nonRetryable: true });
  });

  test('for the newest asks for no vector of a query', async () => {
    const { input, newWorker } = await place('run');
    await newWorker().searchExperiences(input({ entries: fruit('pear'), count: 1 }));
    expect(embedded()).toEqual(['pear pear']);
  });
});

test('lanes that search at once pay each for their own, and for what they share once', async () => {
  const { input, newWorker, folder } = await place('sample', 'plum', 'apple');
  const worker = newWorker();
  const own = ['pear', 'fig', 'quince'];
  const answers = await Promise.all(
    own.map((name, lane) =>
      worker.searchExperiences(input({ lane, entries: fruit(name), count: 1, text: `${name} ?` })),
    ),
  );
  expect(answers.map(({ experiences }) => names(experiences).at(-1))).toEqual(own);
  expect(embedded().toSorted()).toEqual(
    ['plum plum', 'apple apple', ...own.flatMap((name) => [`${name} ${name}`, `${name} ?`])].toSorted(),
  );
  const texts = answers.map(({ embeddings }) => embeddings?.texts ?? 0);
  expect(texts.reduce((sum, count) => sum + count)).toBe(8);
  for (const count of texts) expect(count).toBeGreaterThanOrEqual(2);
  expect((await paidEmbeddings(folder))?.texts).toBe(8);
});
