import { WORDS_OF_FIVE } from './words-of-five.js';
import { WORDS_OF_FOUR } from './words-of-four.js';
import { WORDS_OF_THREE } from './words-of-three.js';

/** Clue of each word that the generator uses. Words are in capital letters. */
export const CLUES: ReadonlyMap<string, string> = new Map(
  [WORDS_OF_THREE, WORDS_OF_FOUR, WORDS_OF_FIVE]
    .flatMap((list) => list.trim().split('\n'))
    .map((line) => {
      const end = line.indexOf(' ');
      return [line.slice(0, end), line.slice(end + 1)] as const;
    }),
);
