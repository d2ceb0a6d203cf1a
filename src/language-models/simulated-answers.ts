import type { Task } from '../contracts/environment.js';

/** Answer of a sample, for the simulation. */
export interface KnownAnswer {
  /** Gold answer as text; for a multiple choice, a letter or the choice's text. */
  target: string;
  /** Texts of the choices, in the order of their letters. */
  choices?: readonly string[];
  /** Positions of the right choices, if the dataset gives them. */
  right_choices?: readonly number[];
  /** Right choices that an answer needs: any one, or all. */
  target_match?: 'any' | 'all';
}

/** Returns the answer of a task; undefined if it has none. */
export function knownAnswer({ target, choices, right_choices, target_match }: Task): KnownAnswer | undefined {
  if (target === null) return undefined;
  return {
    target,
    ...(choices === undefined ? {} : { choices }),
    ...(right_choices === undefined ? {} : { right_choices }),
    ...(target_match === undefined ? {} : { target_match }),
  };
}

const WORDS = ['amber', 'basalt', 'cedar', 'delta', 'ember', 'fjord', 'granite', 'harbor'];

function letterOf(position: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + position);
}

/** Returns the position of the choice that a target names, by letter or by text; -1 if it names none. */
function positionOf({ target, choices = [], right_choices }: KnownAnswer): number {
  if (right_choices !== undefined) return right_choices[0] ?? -1;
  const trimmed = target.trim();
  const byText = choices.findIndex((choice) => choice.trim() === trimmed);
  if (byText !== -1) return byText;
  const letter = /^\(?([A-Za-z])[).]?$/.exec(trimmed)?.[1]?.toUpperCase();
  const position = letter === undefined ? -1 : letter.charCodeAt(0) - 'A'.charCodeAt(0);
  return position < choices.length ? position : -1;
}

/** Returns the right answer in the form that a model gives: the letter of a multiple choice, otherwise the target. */
export function rightAnswer(known: KnownAnswer): string {
  const { right_choices = [], target_match } = known;
  if (target_match === 'all' && right_choices.length > 1) return right_choices.map(letterOf).join(', ');
  const position = positionOf(known);
  return position === -1 ? known.target : letterOf(position);
}

function perturb(target: string, draw: number): string {
  return target.replace(/\d[\d,]*(?:\.\d+)?/, (digits) => {
    const decimals = /\.(\d+)$/.exec(digits)?.[1]?.length ?? 0;
    // Adds 1 to 9: never the number itself, never a different sign.
    return (Number(digits.replaceAll(',', '')) + 1 + Math.floor(draw * 9)).toFixed(decimals);
  });
}

/**
 * Returns a wrong answer of the same kind: another offered letter, another number, otherwise another word.
 * @param draw uniform random number in [0, 1).
 */
export function wrongAnswer(known: KnownAnswer, draw: number): string {
  const { target, choices = [], right_choices = [] } = known;
  const position = positionOf(known);
  const others = choices.flatMap((_, index) => (right_choices.includes(index) ? [] : [index]));
  if (right_choices.length > 1 && others.length > 0)
    return letterOf(others[Math.floor(draw * others.length)] ?? 0);
  if (position !== -1 && choices.length > 1) {
    const step = 1 + Math.floor(draw * (choices.length - 1));
    return letterOf((position + step) % choices.length);
  }
  if (/\d/.test(target)) return perturb(target, draw);
  const words = WORDS.filter((word) => word !== target.trim().toLowerCase());
  return words[Math.floor(draw * words.length)] ?? 'nothing';
}
