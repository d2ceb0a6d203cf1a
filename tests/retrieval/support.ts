import type { IndexedText, RetrievalMatch, RetrievalService } from '../../src/retrieval/retrieval-service.js';
import { createRandom, type Random, shuffled } from '../../src/statistics/random.js';

/** Words of letters alone: a digit begins a term of its own. */
const VOCABULARY = Array.from({ length: 400 }, (_, index) =>
  index.toString(20).replace(/\d/g, (digit) => 'klmnopqrst'[Number(digit)] ?? ''),
);

/** A text of words of which a few are frequent and most are rare, as in natural language. */
export function randomText(random: Random, words: number): string {
  const draw = () => VOCABULARY[Math.floor(VOCABULARY.length ** random()) - 1] as string;
  return Array.from({ length: words }, draw).join(' ');
}

export function randomTexts(random: Random, count: number, firstId = 0): IndexedText[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    text: randomText(random, 1 + Math.floor(random() * 40)),
  }));
}

export function idsOf(matches: readonly RetrievalMatch[]): number[] {
  return matches.map(({ id }) => id);
}

/** What an index answers to many questions. */
export async function answers(index: RetrievalService, seed: number): Promise<RetrievalMatch[][]> {
  const random = createRandom(`questions ${seed}`);
  const found: RetrievalMatch[][] = [];
  for (let question = 0; question < 20; question++) {
    found.push(await index.queryTopK(randomText(random, 1 + Math.floor(random() * 12)), 7));
  }
  return found;
}

/**
 * Brings an index to hold exactly `texts` by detours: in a random order and in portions, through older versions of
 * some, and with others that are taken out again. Lengths and words of what does not stay differ from those that do.
 */
export async function fillByDetours(
  index: RetrievalService,
  texts: readonly IndexedText[],
  random: Random,
): Promise<void> {
  const passing = randomTexts(random, 300, 100_000).map(({ id, text }) => ({
    id,
    text: `${text} ${text} passing`,
  }));
  const older = texts.filter(() => random() < 0.4).map(({ id }) => ({ id, text: randomText(random, 70) }));
  const early = shuffled([...passing, ...older, ...texts.filter(() => random() < 0.3)], random);
  for (let at = 0; at < early.length; at += 37) await index.buildIndex(early.slice(at, at + 37));
  const stayed = new Set(texts.filter(() => random() < 0.5).map(({ id }) => id));
  index.remove(shuffled([...passing, ...texts], random).flatMap(({ id }) => (stayed.has(id) ? [] : [id])));
  const late = shuffled(texts, random);
  for (let at = 0; at < late.length; at += 11) await index.buildIndex(late.slice(at, at + 11));
}
