import { LONGEST_EXPRESSION } from '../bounds.js';
import { compareQuickly } from '../compare-quickly.js';
import { FUNCTIONS, SYMBOL_WORDS } from '../mathematics/latex-commands.js';
import { readAnswer } from '../mathematics/structure.js';
import { OTHER_UNIT, readUnit } from '../mathematics/units.js';

/** Beginnings of a gloss that states the value again: `5\sqrt{2} (≈ 7.07)`. */
const RESTATES = /^(?:\$|\\\()?\s?(?:≈|~|=|\\approx|about|approx|roughly|i\.e\.|that is|which is)/i;

/** Parts of a bracket with another answer, a condition or a bound. */
const CHANGES =
  /^(?:or|and|if|when|unless|for|plus|minus|at|up)\b|\b(?:more|less|fewer|minimum|maximum|mod|base|binary|octal|hex|hexadecimal)\b/i;

/** Largest difference of a rounded value in a gloss: `1/3 (0.33)`. */
const ROUNDED = 0.01;

/**
 * Returns the text before a bracket at its end that only explains it: with the same value (`1/4 (25%)`), with words
 * (`12 (3 per bag)`), or with the unit, which is kept (`35 (miles)` is `35 miles`). In `2 (x+1)` the bracket is a factor.
 */
export function beforeGloss(text: string): string | undefined {
  const open = openingOf(text);
  const head = text.slice(0, Math.max(open, 0)).trimEnd();
  if (head === '' || head.length === open) return undefined;
  const gloss = text.slice(open + 1, -1).trim();
  if (RESTATES.test(gloss) || isSameValue(head, gloss.replace(/^or,? (?:about )?/i, ''))) return head;
  if (CHANGES.test(gloss)) return undefined;
  const named = gloss.replace(/^in /, '');
  const unit = /^[a-zA-Z]{2}/.test(named) ? readUnit(named) : undefined;
  if (unit !== undefined && unit !== OTHER_UNIT) return `${head} ${named}`;
  return hasWord(gloss) ? head : undefined;
}

/** Returns the position of the bracket that the last character closes, or -1. */
function openingOf(text: string): number {
  if (!text.endsWith(')') || text.endsWith('\\)') || text.length > LONGEST_EXPRESSION) return -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ')') depth += 1;
    else if (text[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function isSameValue(head: string, gloss: string): boolean {
  const value = head.slice(head.lastIndexOf('=') + 1).trim();
  const hasValue = (text: string) => {
    const answer = readAnswer(text);
    return answer.kind === 'scalar' && answer.value !== undefined;
  };
  if (value.endsWith(')') || !hasValue(value) || !hasValue(gloss)) return false;
  return compareQuickly(gloss, value, /[.%]/.test(gloss) ? ROUNDED : 0) === true;
}

/** Reports whether a text has a word that is no function, symbol or command. */
function hasWord(text: string): boolean {
  const words = text.match(/(?<![\\a-zA-Z])[a-zA-Z]{3,}/g) ?? [];
  return words.some((word) => !FUNCTIONS.has(word) && !Object.hasOwn(SYMBOL_WORDS, word.toLowerCase()));
}
