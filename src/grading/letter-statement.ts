import type { Choices } from './choices.js';

/**
 * What a statement says of the choices: a letter; `unclear` where it names several, or takes one back; `none`
 * where it names no offered letter.
 */
export type LetterStatement = { letter: string } | 'unclear' | 'none';

/** Words before a letter that add nothing. */
const FILLERS =
  /^(?:(?:most |very )?(?:likely|probably|definitely|clearly|certainly|indeed|simply|therefore|thus|hence|then|the|correct|best|right|final|option|choice|letter|answer|is|be|:|-)\b[:\s]*|[:\s=]+)+/i;

/** Words after a letter and a space that show it to be a choice and not the beginning of a sentence. */
const CONTINUES =
  /^(?:because|since|as|due|is|was|for|with|which|so|and so|but|hence|thus|given|based|i\.e)\b/i;

/** Reads the text right after an answer marker. */
export function readLetterStatement(statement: string, choices: Choices): LetterStatement {
  const text = plainLetters(statement);
  const whole = choices.byText(statement) ?? choices.byText(text) ?? choices.byText(firstLine(text));
  // A choice that is itself a letter is ambiguous: the letter as a name comes first.
  if (whole && choices.loneLetter(text) === undefined) return { letter: whole };
  const claim = text.replace(FILLERS, '');
  if (/^(?:not|neither|none|either|both)\b/i.test(claim))
    return /^(?:not|none)/i.test(claim) ? 'none' : 'unclear';
  const match = /^(?:([([])\s*([A-Za-z])\s*[)\]]|([A-Za-z])(?![A-Za-z0-9]))/.exec(claim);
  const named = match && choices.letter(match[2] ?? match[3] ?? '');
  if (!match || !named) return fromText(claim, choices);
  const rest = claim.slice(match[0].length);
  if (match[1] === undefined && !isChoice(match[3] ?? '', named, rest, text, choices))
    return fromText(claim, choices);
  if (/^\s*\?/.test(rest)) return 'unclear';
  return namesAnother(named, rest, choices) ? 'unclear' : { letter: named };
}

/** Whether a letter without brackets is meant as a choice. */
function isChoice(written: string, named: string, rest: string, text: string, choices: Choices): boolean {
  if (rest.trim() === '' || /^\s*[.)\]:;,!?](?:\s|$)/.test(rest)) return true;
  // `F) text` and `F: text`, also without a space; but not `E=mc^2`, `A-B` or `C_2`.
  if (/^[.)\]:][^\d\s=]/.test(rest) || /^\s*[)\]]/.test(rest)) return true;
  if (/^\s+[-–—]\s/.test(rest) || /^\s*\(/.test(rest)) return written === written.toUpperCase();
  if (!/^\s/.test(rest)) return false;
  const next = rest.trim();
  if (choices.startsWith(named, next) && written === written.toUpperCase()) return true;
  if (/^(?:and|or|&|\/)\s/i.test(next)) return written === written.toUpperCase() && text.length < 200;
  return written === written.toUpperCase() && CONTINUES.test(next);
}

/** `A and B`, `A, B`, `(A) or (C)`, `A/B`: several letters are no answer. */
function namesAnother(named: string, rest: string, choices: Choices): boolean {
  const match =
    /^[\s)\].,]*(?:,|and|or|&|\/|\+)\s*(?:option |choice )?[([]?([A-Za-z])[)\]]?(?![A-Za-z0-9])/i.exec(rest);
  const other = match?.[1] ? choices.letter(match[1]) : undefined;
  // After a comma a lone "a" or "I" is a word.
  if (other === undefined || (/^[aI]$/.test(match?.[1] ?? '') && !/[([]/.test(match?.[0] ?? '')))
    return false;
  return other !== named;
}

/** Nothing but letters that were offered, and at least two of them: `A, C`, `(A) (B)`, `A or D`. */
export function listsLetters(text: string, choices: Choices): boolean {
  const words = text
    .split(/(?:[\s,;/&+()[\].]|\b(?:and|or|options?|choices?)\b)+/i)
    .filter((word) => word !== '');
  const letters = words.map((word) => (word.length === 1 ? choices.letter(word) : undefined));
  return letters.every((letter) => letter !== undefined) && new Set(letters).size > 1;
}

/** `25 N, option (C)`: exactly one letter in brackets or after the word "option" in the first sentence. */
function fromText(claim: string, choices: Choices): LetterStatement {
  const sentence = /^[\s\S]{0,300}?(?=[.!?](?:\s|$)|\n|$)/.exec(claim)?.[0] ?? '';
  if (/\b(?:not|n't|except|eliminate|exclude)\b/i.test(sentence)) return 'none';
  const named = new Set<string>();
  for (const match of sentence.matchAll(
    /(?<=^|[\s,;:])\(([A-Z])\)(?=$|[\s,;:.])|\b(?:option|choice)\s+\(?([A-Z])\b/g,
  )) {
    const letter = choices.letter(match[1] ?? match[2] ?? '');
    if (letter) named.add(letter);
  }
  const [only] = named;
  if (only === undefined) return 'none';
  return named.size === 1 ? { letter: only } : 'unclear';
}

/** Without Markdown, LaTeX delimiters and the braces of `\boxed{\text{C}}`. */
export function plainLetters(text: string): string {
  return text
    .replace(/\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|mathsf|mbox|bf|rm)\b\s*/g, '')
    .replace(/\\[()[\]]|\\[,;:! ]|[$*`{}"“”]|_{2,}/g, ' ')
    .replace(/<\/?[a-z_]{1,20}>|(?<!\w)['‘’]|['‘’](?!\w)/gi, ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/^[\s>#:.-]+/, '')
    .trim();
}

const firstLine = (text: string) => text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1);
