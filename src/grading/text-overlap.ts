/** Words between letters, digits and underscores: `\b` of Unicode. */
const WORD = '[\\p{L}\\p{N}_]';
const ARTICLES = new RegExp(`(?<!${WORD})(?:a|an|the)(?!${WORD})`, 'gu');
/** Punctuation of ASCII and of Unicode, and characters without meaning for a text. */
const PUNCTUATION = /[!-/:-@[-`{-~]|\p{P}|\p{Default_Ignorable_Code_Point}/gu;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/**
 * Normalises an answer as SQuAD v1.1 does (Rajpurkar et al. 2016): lower case, without punctuation and articles of
 * English, words joined by single spaces. As MLQA does (Lewis et al. 2020), it takes punctuation of other scripts away
 * as well.
 */
export function normalizedAnswer(text: string): string {
  return words(text.normalize('NFC').toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ')).join(' ');
}

function counts(tokens: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const token of tokens) found.set(token, (found.get(token) ?? 0) + 1);
  return found;
}

/** Returns how many tokens two lists have in common, each as often as in both. */
function inCommon(left: readonly string[], right: readonly string[]): number {
  const others = counts(right);
  let common = 0;
  for (const [token, count] of counts(left)) common += Math.min(count, others.get(token) ?? 0);
  return common;
}

/** Returns the harmonic mean of hits / answered and hits / wanted; 0 without hits. */
function harmonic(hits: number, answered: number, wanted: number): number {
  return hits === 0 ? 0 : (2 * hits) / (answered + wanted);
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;

/** Words of F1: where scripts have no spaces between words, each character is one. */
const f1Words = (text: string) => words(normalizedAnswer(text).replace(UNSPACED, ' $& '));

/** Computes F1 over the words of normalised texts, each counted as often as it occurs, from 0 to 1 (SQuAD v1.1). */
export function wordF1(answer: string, target: string): number {
  const [said, wanted] = [f1Words(answer), f1Words(target)];
  return harmonic(inCommon(said, wanted), said.length, wanted.length);
}

/** Words of ROUGE: letters and digits of ASCII in lower case; everything else separates. */
export const rougeWords = (text: string) => words(text.toLowerCase().replace(/[^a-z0-9]+/g, ' '));

function ngrams(tokens: readonly string[], size: number): string[] {
  return tokens.slice(size - 1).map((_, from) => tokens.slice(from, from + size).join(' '));
}

/** Returns the positions in `target` of a longest common subsequence with `answer`. */
function commonPositions(target: readonly string[], answer: readonly string[]): number[] {
  const width = answer.length + 1;
  const lengths = new Uint32Array((target.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] as number;
  for (let row = 1; row <= target.length; row++) {
    for (let column = 1; column < width; column++) {
      lengths[row * width + column] =
        target[row - 1] === answer[column - 1]
          ? at(row - 1, column - 1) + 1
          : Math.max(at(row - 1, column), at(row, column - 1));
    }
  }
  const positions: number[] = [];
  for (let [row, column] = [target.length, answer.length]; row > 0 && column > 0; ) {
    if (target[row - 1] === answer[column - 1]) {
      positions.push(--row);
      column -= 1;
    } else if (at(row, column - 1) > at(row - 1, column)) column -= 1;
    else row -= 1;
  }
  return positions.reverse();
}

/** Longest text, in words, whose subsequences are compared: the table grows with the product of both. */
const MAX_WORDS = 4000;

/** F measures of ROUGE, from 0 to 1. */
export interface Rouge {
  rouge_1: number;
  rouge_2: number;
  rouge_l: number;
  rouge_lsum: number;
}

/**
 * Computes ROUGE (Lin 2004) with equal weights of precision and recall, without stemming: overlaps of words and of
 * pairs, the longest common subsequence, and its union over lines (`lsum`), as the package rouge-score does. Letters
 * outside of ASCII count as separators. Of each text the first 4,000 words count.
 */
export function rouge(answer: string, target: string): Rouge {
  const [said, wanted] = [rougeWords(answer).slice(0, MAX_WORDS), rougeWords(target).slice(0, MAX_WORDS)];
  const overlap = (size: number) => {
    const [left, right] = [ngrams(said, size), ngrams(wanted, size)];
    return harmonic(inCommon(left, right), left.length, right.length);
  };
  return {
    rouge_1: overlap(1),
    rouge_2: overlap(2),
    rouge_l: harmonic(commonPositions(wanted, said).length, said.length, wanted.length),
    rouge_lsum: rougeOfLines(linesOf(answer), linesOf(target)),
  };
}

/** Returns the words of each line, up to {@link MAX_WORDS} in all. */
function linesOf(text: string): string[][] {
  let left = MAX_WORDS;
  return text
    .split('\n')
    .map((line) => {
      const kept = rougeWords(line).slice(0, left);
      left -= kept.length;
      return kept;
    })
    .filter((line) => line.length > 0);
}

function rougeOfLines(said: readonly string[][], wanted: readonly string[][]): number {
  const [allSaid, allWanted] = [said.flat(), wanted.flat()];
  const [leftSaid, leftWanted] = [counts(allSaid), counts(allWanted)];
  let hits = 0;
  for (const line of wanted) {
    const union = new Set(said.flatMap((one) => commonPositions(line, one)));
    for (const position of [...union].sort((one, two) => one - two)) {
      const word = line[position] as string;
      const [inSaid, inWanted] = [leftSaid.get(word) ?? 0, leftWanted.get(word) ?? 0];
      if (inSaid === 0 || inWanted === 0) continue;
      leftSaid.set(word, inSaid - 1);
      leftWanted.set(word, inWanted - 1);
      hits += 1;
    }
  }
  return harmonic(hits, allSaid.length, allWanted.length);
}

const ENTITIES: readonly (readonly [string, string])[] = [
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
];

/** Splits a text into the tokens of mteval-v13a, the default of sacrebleu. */
function bleuTokens(text: string): string[] {
  let line = text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ');
  for (const [entity, character] of ENTITIES) line = line.replaceAll(entity, character);
  return words(
    ` ${line} `
      .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
      .replace(/([^0-9])([.,])/g, '$1 $2 ')
      .replace(/([.,])([^0-9])/g, ' $1 $2')
      .replace(/([0-9])(-)/g, '$1 $2 '),
  );
}

const MAX_ORDER = 4;

/**
 * Computes the BLEU of one answer (Papineni et al. 2002), from 0 to 1, as sacrebleu's sentence BLEU does: tokens of 13a,
 * n-grams up to 4 but no longer than the answer, exponential smoothing. Several targets are references of one answer.
 */
export function sentenceBleu(answer: string, targets: readonly string[]): number {
  const said = bleuTokens(answer);
  const wanted = targets.map(bleuTokens);
  if (said.length === 0) return 0;
  let [sum, order, smoothing, anyMatch] = [0, 0, 1, false];
  for (; order < Math.min(MAX_ORDER, said.length); order++) {
    const grams = ngrams(said, order + 1);
    const references = wanted.map((tokens) => counts(ngrams(tokens, order + 1)));
    let matches = 0;
    for (const [gram, count] of counts(grams))
      matches += Math.min(count, Math.max(...references.map((reference) => reference.get(gram) ?? 0)));
    anyMatch ||= matches > 0;
    if (matches === 0) smoothing *= 2;
    sum += Math.log((matches === 0 ? 1 / smoothing : matches) / grams.length);
  }
  if (!anyMatch) return 0;
  // The reference of the closest length; of two, the shorter one.
  const length = wanted
    .map((tokens) => tokens.length)
    .sort((one, two) => Math.abs(one - said.length) - Math.abs(two - said.length) || one - two)[0] as number;
  const brevity = said.length >= length ? 1 : Math.exp(1 - length / said.length);
  return Math.min(brevity * Math.exp(sum / order), 1);
}
