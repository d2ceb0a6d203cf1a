import { createRandom, type Random, shuffled } from '../../../../../statistics/random.js';
import type { DatasetExample } from '../../types.js';
import { answerIn, BLACK, type Direction, type Grid, type Slot, slotsOf } from './grid.js';
import { WORDS_OF_FIVE } from './words-of-five.js';
import { WORDS_OF_FOUR } from './words-of-four.js';
import { WORDS_OF_THREE } from './words-of-three.js';

/** Maximum puzzles of a seed: beyond it, finding a new one takes longer and longer. */
export const MAX_PUZZLES = 1_000;

/** Words tried in one grid before another one is begun. */
const MAX_TRIES = 500;

const EMPTY = '-';

/**
 * Empty grids: `-` is a square to fill, `#` a black one. Each is symmetric under half a turn, as is customary, and has
 * only words of 3 to 5 letters.
 */
export const TEMPLATES: readonly (readonly string[])[] = [
  ['---', '---', '---'],
  ['---#', '----', '----', '#---'],
  ['#---', '----', '----', '---#'],
  ['-----', '-#-#-', '-----', '-#-#-', '-----'],
  ['----#', '-#---', '-----', '---#-', '#----'],
];

/** Clue of each word that the generator uses. Words are in capital letters. */
export const CLUES: ReadonlyMap<string, string> = new Map(
  [WORDS_OF_THREE, WORDS_OF_FOUR, WORDS_OF_FIVE]
    .flatMap((list) => list.trim().split('\n'))
    .map((line) => {
      const end = line.indexOf(' ');
      return [line.slice(0, end), line.slice(end + 1)] as const;
    }),
);

/**
 * Generates crosswords with their solutions: a small grid, filled by trying words in random order in the slot that has
 * the fewest (Ginsberg et al., 1990), with a clue for each word. No puzzle occurs twice, and none has a word twice.
 * @throws RangeError above {@link MAX_PUZZLES}.
 */
export function generateCrosswords(seed: number, count: number): DatasetExample[] {
  if (count > MAX_PUZZLES) throw new RangeError(`${count} crosswords are more than ${MAX_PUZZLES}`);
  const random = createRandom(`crosswords:${seed}`);
  const lexicon = new Lexicon();
  const solutions = new Set<string>();
  const examples: DatasetExample[] = [];
  while (examples.length < count) {
    const template = TEMPLATES[Math.floor(random() * TEMPLATES.length)] as readonly string[];
    const grid = fill(template, lexicon, random);
    if (grid === null) continue;
    const solution = [gridText(grid), wordLists(grid, (slot) => answerIn(grid, slot))].join('\n\n');
    if (solutions.has(solution)) continue;
    solutions.add(solution);
    const clues = wordLists(grid, (slot) => CLUES.get(answerIn(grid, slot)) as string);
    const empty = grid.map((row) => row.map((square) => (square === BLACK ? BLACK : EMPTY)));
    const id = `crossword-${examples.length}`;
    examples.push({ id, input: [gridText(empty), clues].join('\n\n'), scoring_data: { solution } });
  }
  return examples;
}

/** Fills a grid; null where the tries were not enough. */
function fill(template: readonly string[], lexicon: Lexicon, random: Random): Grid | null {
  const grid = template.map((row) => [...row].map((square) => (square === '#' ? BLACK : EMPTY)));
  const slots = slotsOf(grid);
  let tries = 0;
  const fillRest = (): boolean => {
    tries += 1;
    if (tries > MAX_TRIES) return false;
    const patterns = slots.map((slot) => answerIn(grid, slot));
    const words = patterns.filter((pattern) => !pattern.includes(EMPTY));
    if (new Set(words).size < words.length) return false;
    const options = slots
      .map((slot, index) => ({ slot, before: patterns[index] as string }))
      .map((place) => ({ ...place, fitting: lexicon.fitting(place.before) }));
    if (options.some(({ fitting }) => fitting.length === 0)) return false;
    const [tightest] = options
      .filter(({ before }) => before.includes(EMPTY))
      .sort((left, right) => left.fitting.length - right.fitting.length);
    if (tightest === undefined) return true;
    for (const word of shuffled(tightest.fitting, random)) {
      write(grid, tightest.slot, word);
      if (fillRest()) return true;
    }
    write(grid, tightest.slot, tightest.before);
    return false;
  };
  return fillRest() ? grid : null;
}

/** Words by pattern; each pattern is searched once. */
class Lexicon {
  private readonly found = new Map<string, string[]>();

  /** Returns the words that have the letters of a pattern such as `A-E` in their places. */
  fitting(pattern: string): readonly string[] {
    const known = this.found.get(pattern);
    if (known !== undefined) return known;
    const wanted = new RegExp(`^${pattern.replaceAll(EMPTY, '.')}$`);
    const words = [...CLUES.keys()].filter((word) => wanted.test(word));
    this.found.set(pattern, words);
    return words;
  }
}

function write(grid: string[][], { squares }: Slot, letters: string): void {
  for (const [index, [row, column]] of squares.entries()) {
    (grid[row] as string[])[column] = letters[index] as string;
  }
}

function gridText(grid: Grid): string {
  return grid.map((row) => row.join(' ')).join('\n');
}

function wordLists(grid: Grid, text: (slot: Slot) => string): string {
  const list = (title: string, direction: Direction) =>
    [
      `${title}:`,
      ...slotsOf(grid)
        .filter((slot) => slot.direction === direction)
        .map((slot) => `  ${slot.number}. ${text(slot)}`),
    ].join('\n');
  return [list('Across', 'across'), list('Down', 'down')].join('\n\n');
}
