import { describe, expect, test } from 'vitest';
import { ExperienceSearch } from '../../../../src/kinds/run/activities/experience-search.js';
import { JournalView, readJournal, writeBatch } from '../../../../src/kinds/run/activities/journal-file.js';
import type { JournalBatch } from '../../../../src/kinds/run/contracts.js';
import { PendingEntries } from '../../../../src/kinds/run/lane/pending-entries.js';
import type { ExperienceEntry } from '../../../../src/memory/entries.js';
import type { JournalEntry } from '../../../../src/memory/memory-module.js';
import { LexicalIndex } from '../../../../src/retrieval/lexical-index.js';
import { createRandom } from '../../../../src/statistics/random.js';
import { keys, temporaryStore } from '../../../activities/support.js';
import { experience } from '../../../memory/support.js';

const entry = (obs: string): ExperienceEntry => experience(obs);
const place = { run: 'r', execution: 'e', lane: 0 };
const batch = (sequence: number, from: number, ...names: string[]): JournalBatch => ({
  ...place,
  sequence,
  from,
  entries: names.map(entry),
});
const names = (entries: readonly JournalEntry[]) =>
  entries.map((one) => (one._type === 'experience' ? one.obs : one.content));

describe('a journal in the store', () => {
  test('is what its batches leave, in their order, whenever they were written', async () => {
    const store = await temporaryStore();
    const batches = [
      batch(0, 0, 'a', 'b'),
      batch(1, 2, 'c', 'd'),
      // The memory went back to before `c`.
      batch(3, 2, 'e'),
      batch(4, 3, 'f'),
    ];
    for (const one of batches.toReversed()) await writeBatch(store, one);
    expect(names((await readJournal(store, place)).entries)).toEqual(['a', 'b', 'e', 'f']);
    expect(names((await readJournal(store, place, 4)).entries)).toEqual(['a', 'b', 'e']);
    expect(names((await readJournal(store, place, 3)).entries)).toEqual(['a', 'b', 'c', 'd']);
    expect((await readJournal(store, place, 0)).entries).toEqual([]);
  });

  test('is not harmed by a batch that is written twice, late or not', async () => {
    const store = await temporaryStore();
    await writeBatch(store, batch(0, 0, 'a'));
    // The answer to this write was lost; the next batch holds its entries once more.
    await writeBatch(store, batch(2, 1, 'b', 'c'));
    await writeBatch(store, batch(1, 1, 'b'));
    await writeBatch(store, batch(0, 0, 'a'));
    expect(names((await readJournal(store, place)).entries)).toEqual(['a', 'b', 'c']);
    expect(await keys(store)).toHaveLength(3);
  });

  test('knows lanes and executions apart', async () => {
    const store = await temporaryStore();
    await writeBatch(store, batch(0, 0, 'a'));
    await writeBatch(store, { ...batch(0, 0, 'b'), lane: 1 });
    await writeBatch(store, { ...batch(0, 0, 'c'), execution: 'e2' });
    expect(names((await readJournal(store, place)).entries)).toEqual(['a']);
    expect(names((await readJournal(store, { execution: 'e', lane: 1 })).entries)).toEqual(['b']);
    expect((await readJournal(store, { execution: 'none', lane: 0 })).entries).toEqual([]);
  });

  test('of many batches is read in order', async () => {
    const store = await temporaryStore();
    for (let number = 0; number < 120; number++) await writeBatch(store, batch(number, number, `n${number}`));
    expect(names((await readJournal(store, place)).entries)).toEqual(
      Array.from({ length: 120 }, (_, number) => `n${number}`),
    );
  });

  test('with a batch missing is refused, not read wrongly', async () => {
    const store = await temporaryStore();
    await writeBatch(store, batch(0, 0, 'a'));
    await writeBatch(store, batch(2, 3, 'd'));
    await expect(readJournal(store, place)).rejects.toThrow('from entry 1 on, is missing');
  });
});

test('a view keeps what it had where a batch does not join on', () => {
  const view = new JournalView();
  view.apply(batch(0, 0, 'a'));
  expect(() => view.apply(batch(1, 2, 'c'))).toThrow('begins at 2');
  expect(names(view.entries)).toEqual(['a']);
});

const WORDS = ['plum', 'pear', 'apple', 'quince'];

/** What a worker holds of a lane: the index that `searchExperiences` keeps up to date. */
function worker(loaded: ExperienceEntry[]) {
  return new ExperienceSearch(new LexicalIndex(), loaded, false);
}

/**
 * A lane whose memory is written to and searched by two workers in turns. Writes are lost, repeated and late; the lane
 * goes back to earlier states and on in other executions. Compared with a plain list all the while.
 */
async function playLane(seed: number): Promise<void> {
  const random = createRandom(`journal ${seed}`);
  const below = (limit: number) => Math.floor(random() * limit);
  const store = await temporaryStore();
  const loaded = Array.from({ length: below(3) }, (_, number) => entry(`loaded ${WORDS[number]}`));
  let workers = [worker(loaded), worker(loaded)];
  let pending = new PendingEntries(0);
  let all: string[] = [];
  let sequence = 0;
  const late: JournalBatch[] = [];

  /** As the activity does it: see `memory-activities.ts`. */
  async function search(by: ExperienceSearch, given: JournalBatch, text?: string): Promise<string[]> {
    if (given.entries.length > 0) await writeBatch(store, given);
    if (!by.follows(given.sequence)) {
      const before = await readJournal(store, given, given.sequence);
      await by.apply(given.sequence - 1, 0, before.entries);
    }
    await by.apply(given.sequence, given.from, given.entries);
    const found = await by.search({ k: 1000, count: all.length, ...(text === undefined ? {} : { text }) });
    return found.map(({ obs }) => obs);
  }

  for (let turn = 0; turn < 80; turn++) {
    const draw = random();
    const word = WORDS[below(4)] as string;
    if (draw < 0.4) {
      const name = `${turn} ${word}`;
      pending.append(all.length, entry(name));
      all.push(name);
    } else if (draw < 0.5) {
      all = all.slice(0, below(all.length + 1));
    } else if (draw < 0.65) {
      pending.truncate(all.length);
      const given: JournalBatch = { ...place, sequence: sequence++, ...pending.batch() };
      const kind = random();
      // A write that fails for good, one that comes late, and one that is done.
      if (kind < 0.15) continue;
      if (kind < 0.3) {
        late.push(given);
        continue;
      }
      await writeBatch(store, given);
      pending.release(given.from + given.entries.length);
    } else if (draw < 0.9) {
      pending.truncate(all.length);
      const given: JournalBatch = { ...place, sequence: sequence++, ...pending.batch() };
      const by = workers[below(2)] as ExperienceSearch;
      const text = random() < 0.7 ? word : undefined;
      const known = [...loaded.map(({ obs }) => obs), ...all];
      const expected = text === undefined ? known : known.filter((name) => name.endsWith(text));
      const tries = 1 + below(2);
      for (let attempt = 0; attempt < tries; attempt++) {
        const found = await search(
          random() < 0.8 ? by : (workers[below(2)] as ExperienceSearch),
          given,
          text,
        );
        if (text === undefined) expect(found, `seed ${seed}, turn ${turn}`).toEqual(expected);
        else expect(found.toSorted(), `seed ${seed}, turn ${turn}`).toEqual(expected.toSorted());
      }
      pending.release(given.from + given.entries.length);
    } else if (draw < 0.94) {
      // A worker that died is replaced by one that knows nothing.
      workers = [workers[1] as ExperienceSearch, worker(loaded)];
    } else {
      pending = new PendingEntries(pending.from, pending.entries());
      for (const one of late.splice(0)) await writeBatch(store, one);
    }
  }
  pending.truncate(all.length);
  await writeBatch(store, { ...place, sequence, ...pending.batch() });
  for (const one of late) await writeBatch(store, one);
  const journal = await readJournal(store, place);
  expect(names(journal.entries.slice(0, all.length)), `seed ${seed}`).toEqual(all);
}

test('a journal that two workers keep in turns, with every mishap, is what a list would be', async () => {
  for (let seed = 0; seed < 25; seed++) await playLane(seed);
});
