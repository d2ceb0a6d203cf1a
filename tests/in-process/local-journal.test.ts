import { expect, test } from 'vitest';
import { ExperienceSearch } from '../../src/activities/experience-search.js';
import { LocalJournal } from '../../src/in-process/local-journal.js';
import { LexicalIndex } from '../../src/retrieval/lexical-index.js';
import { createRandom } from '../../src/statistics/random.js';
import { experience } from '../memory/support.js';

const WORDS = ['plum', 'pear', 'apple', 'quince'];

test('a journal in this process finds what a list would, whenever the memory goes back', async () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = createRandom(`local ${seed}`);
    const below = (limit: number) => Math.floor(random() * limit);
    const loaded = WORDS.slice(0, below(3)).map((word) => experience(`loaded ${word}`));
    const search = new ExperienceSearch(new LexicalIndex(), loaded, false);
    const journal = new LocalJournal((work) => work(search));
    let all: string[] = [];
    for (let turn = 0; turn < 50; turn++) {
      const word = WORDS[below(4)] as string;
      const draw = random();
      if (draw < 0.5) {
        journal.append(all.length, experience(`${turn} ${word}`));
        all.push(`${turn} ${word}`);
      } else if (draw < 0.65) {
        // Nobody tells the journal; the next entry or search shows it.
        all = all.slice(0, below(all.length + 1));
      } else {
        const known = [...loaded.map(({ obs }) => obs), ...all];
        const newest = await journal.search({ k: 1000 }, all.length);
        expect(
          newest.map(({ obs }) => obs),
          `seed ${seed}, turn ${turn}`,
        ).toEqual(known);
        const similar = await journal.search({ text: word, k: 1000 }, all.length);
        expect(similar.map(({ obs }) => obs).toSorted(), `seed ${seed}, turn ${turn}`).toEqual(
          known.filter((obs) => obs.endsWith(word)).toSorted(),
        );
      }
    }
    const entries = journal.entries().slice(0, all.length);
    expect(entries.map((entry) => (entry._type === 'experience' ? entry.obs : ''))).toEqual(all);
  }
});
