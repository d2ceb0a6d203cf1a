/** What a sample's answer is, as far as the simulation may know. */
export interface KnownAnswer {
  /** The gold answer as text; for a multiple choice a letter or the choice's text. */
  target: string;
  /** The choice texts in the order they are lettered. */
  choices?: readonly string[];
}

const WORDS = ['amber', 'basalt', 'cedar', 'delta', 'ember', 'fjord', 'granite', 'harbor'];

function letterOf(position: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + position);
}

/** The offered position a target names, by letter or by text; -1 where it names none. */
function positionOf({ target, choices = [] }: KnownAnswer): number {
  const trimmed = target.trim();
  const byText = choices.findIndex((choice) => choice.trim() === trimmed);
  if (byText !== -1) return byText;
  const letter = /^\(?([A-Za-z])[).]?$/.exec(trimmed)?.[1]?.toUpperCase();
  const position = letter === undefined ? -1 : letter.charCodeAt(0) - 'A'.charCodeAt(0);
  return position < choices.length ? position : -1;
}

/** The right answer in the form a model would give it: the letter of a multiple choice, the target otherwise. */
export function rightAnswer(known: KnownAnswer): string {
  const position = positionOf(known);
  return position === -1 ? known.target : letterOf(position);
}

function perturb(target: string, draw: number): string {
  return target.replace(/\d[\d,]*(?:\.\d+)?/, (digits) => {
    const decimals = /\.(\d+)$/.exec(digits)?.[1]?.length ?? 0;
    // From 1 to 9 too much: never the number itself, never a different sign.
    return (Number(digits.replaceAll(',', '')) + 1 + Math.floor(draw * 9)).toFixed(decimals);
  });
}

/**
 * A wrong answer of the same kind: another offered letter, another number, otherwise another word.
 * @param draw a uniform number in [0, 1).
 */
export function wrongAnswer(known: KnownAnswer, draw: number): string {
  const { target, choices = [] } = known;
  const position = positionOf(known);
  if (position !== -1 && choices.length > 1) {
    const step = 1 + Math.floor(draw * (choices.length - 1));
    return letterOf((position + step) % choices.length);
  }
  if (/\d/.test(target)) return perturb(target, draw);
  const others = WORDS.filter((word) => word !== target.trim().toLowerCase());
  return others[Math.floor(draw * others.length)] ?? 'nothing';
}
