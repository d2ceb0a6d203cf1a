import { ANSWER_WORDS, type AnswerWords } from './answer-words.js';

/** Characters that make up words. */
const WORD = String.raw`\p{L}\p{M}\p{N}_`;
const NO_WORD_BEFORE = `(?<![${WORD}])`;
const NO_WORD_AFTER = `(?![${WORD}])`;

/** Text between a word and the colon or verb after it: `**Answer** :`, `\text{Answer: }`, `answer (in cm):`. */
export const BETWEEN = String.raw`(?:\s?\((?!\p{L}\p{M}?\))[^()\n]{0,60}\))?[\s*_"'\x60}\])]{0,8}`;

/** Letters of other scripts that name a choice, with the Latin letter. */
const SCRIPT_LETTERS = new Map<string, string>();
for (const { letters = [] } of ANSWER_WORDS) {
  for (const [index, spellings] of letters.entries()) {
    const letter = 'ABCDE'[index] ?? '';
    for (const one of spellings.split('|').filter((spelling) => spelling !== '.')) {
      SCRIPT_LETTERS.set(one, letter);
      if (one.length === 1) SCRIPT_LETTERS.set(one.toUpperCase(), letter);
    }
  }
}
// Letters that look like Latin ones, and Γ and Δ. The Cyrillic В is the third letter but looks like the second.
for (const [one, letter] of Object.entries({ С: 'C', Е: 'E', Α: 'A', Β: 'B', Ε: 'E', Γ: 'C', Δ: 'D' }))
  SCRIPT_LETTERS.set(one, letter);

const scriptLetters = [...SCRIPT_LETTERS.keys()].sort((a, b) => b.length - a.length).join('|');

/** Pattern of a letter that may name a choice, not part of a word: Latin ones may touch other scripts. */
export const LETTER = String.raw`(?:(?<![\p{sc=Latin}\p{M}\p{N}_\\])[A-Za-z](?![\p{sc=Latin}\p{M}\p{N}_])|${NO_WORD_BEFORE}(?:${scriptLetters})${NO_WORD_AFTER})`;

/** Returns the Latin letter of one that `LETTER` finds. */
export function latinLetter(letter: string): string {
  return SCRIPT_LETTERS.get(letter) ?? letter.toUpperCase();
}

/** Words for "and" and "or": joined parts are no single answer. Capitals of one letter are choices instead. */
export const JOINTS = String.raw`(?:(?:[Aa]nd|AND|[Oo]r|OR|und|oder|y|o|u|et|ou|e|и|или|та|або|ve|veya|và|hoặc|i|lub|albo|en|of|och|eller|og|ja|tai|nebo|alebo|și|sau|és|vagy|και|ή|dan|atau|na|au|àti|tàbí|и|и\/или|و|أو|או|और|या|এবং|বা)(?![\p{L}\p{M}\p{N}])|和|或者?|与|與|及|と|または|그리고|와|과|또는|และ|หรือ)`;

/** Reports whether a letter is a capital, unlike a lone `a` or `о`, which is a word in many languages. */
export const isCapital = (letter: string) => letter === letter.toUpperCase();

/** Patterns of the sentences of one language that state an answer. */
export interface AnswerForms {
  language: string;
  /** Words in lower case, one of which must be in a text before any pattern can match. */
  signs: string[];
  /** The same for `verdict` and `conclusion`. */
  endSigns: string[];
  heading: RegExp;
  title: RegExp;
  /** Pattern of "Solution:", with only a short value after it in its line. */
  solution?: RegExp;
  sentence: RegExp;
  /** Pattern of "the right answer" directly before it. */
  bare: RegExp;
  /** Pattern of a letter, a number or a formula directly after `bare`. */
  value: RegExp;
  /** Pattern of words before an answer that is only discussed. */
  about?: RegExp;
  /** Pattern of one word that may come before a letter. */
  filler: RegExp;
  /** True if words are not separated by spaces, so that `not` is searched in a clause. */
  isJoined: boolean;
  /** Pattern of a filler of one letter, before a choice. */
  letterFiller?: RegExp;
  after?: RegExp;
  /** Pattern of the beginning of a reason. */
  reason?: RegExp;
  not?: RegExp;
  /** Pattern of text that ends with a negation or bound of a number: `nicht `, `no es `, `mindestens `. */
  qualifies?: RegExp;
  notAfter?: RegExp;
  bound?: RegExp;
  /** Pattern of `B is correct`. The third group is the letter, the others are further signs of a choice. */
  verdict?: RegExp;
  /** Pattern of `therefore B`, to the end; the first group is the letter. */
  conclusion?: RegExp;
  /** Pattern of a choice with the word for choices: `Option B`; the first group is the letter. */
  option?: RegExp;
}

const words = (list: string | undefined) =>
  (list ?? '')
    .normalize('NFC')
    .split('|')
    .filter((word) => word !== '')
    .sort((a, b) => b.length - a.length);

function oneOf(list: string[]): string {
  return list.length === 0 ? '(?!)' : `(?:${list.join('|').replaceAll(' ', String.raw`\s{1,2}`)})`;
}

/** Adds patterns to `known`, each compiled at its first use: compiling those of all languages takes a second. */
function compiledAtFirstUse<K extends object, S extends Record<string, { source: string; flags: string }>>(
  known: K,
  sources: S,
): K & { [name in keyof S]: RegExp } {
  for (const [name, { source, flags }] of Object.entries(sources)) {
    let compiled: RegExp | undefined;
    Object.defineProperty(known, name, {
      enumerable: true,
      get: () => {
        compiled ??= new RegExp(source, flags);
        return compiled;
      },
    });
  }
  return known as K & { [name in keyof S]: RegExp };
}

function formsOf(row: AnswerWords): AnswerForms {
  const isJoined = row.unspaced === 'words';
  const gap = isJoined ? String.raw`\s{0,2}` : String.raw`\s{1,2}`;
  // `不正解` is not an answer, while `大会答案` is one.
  const left = isJoined ? '(?<![不非未無问問应応])' : NO_WORD_BEFORE;
  const right = row.unspaced ? '' : NO_WORD_AFTER;
  const nouns = words(row.answer);
  const adjectives = words(row.right);
  const options = words(row.option);
  const articles = words(row.article);
  const verbs = words(row.is);
  const [noun, adjective, option, article] = [
    oneOf(nouns),
    oneOf(adjectives),
    oneOf(options),
    oneOf(articles),
  ];
  const solution = oneOf(words(row.solution));
  const strong = `(?:${[
    ...words(row.rightAnswer).flatMap((word) =>
      options.length > 0 ? [`${word}${gap}${option}`, word] : [word],
    ),
    `(?:${adjective}${gap}){1,2}(?:${noun}|${option}|${solution})(?:${gap}${adjective}){0,2}`,
    `(?:${noun}|${option})(?:${gap}${adjective}){1,2}`,
  ].join('|')})`;
  const lead = `${left}(?:${article}${gap})?`;
  const topic = row.of ? `(?:${gap}${oneOf(words(row.of))}${right}[^.:?!\\n]{0,80}?)?` : '';
  // Matches `उत्तर B है`, `Cevap B'dir`.
  const isVerbLast = row.notAfter && !row.unspaced && row.after;
  const verbLast = isVerbLast
    ? `|(?=["'([*]{0,3}(?:[A-Z]|\\d{1,20})["')\\]*]{0,3}\\s{0,2}${oneOf(words(row.after))}${NO_WORD_AFTER})`
    : '';
  const subject = `(?:${strong}|${noun})${right}`;
  const end = (list: string[]) =>
    oneOf(list.map((word) => (/['’\]]$/.test(word) || row.unspaced ? word : word + NO_WORD_AFTER)));
  const conclusions = [...words(row.so), ...words(row.choose)];
  const verdicts = [...words(row.correct), strong];
  const pattern = (source: string, flags = 'giu') => ({ source, flags });
  const single = articles.filter((word) => /^[a-z]$/.test(word));
  const reasons = words(row.because);
  const after = [...reasons, ...words(row.after), ...(isLatin(row) ? [] : [...options, ...verbs])];
  const qualifiers = [...words(row.not), ...words(row.bound)];
  const known = {
    language: row.language,
    isJoined,
    signs: [
      ...nouns,
      ...words(row.solution),
      ...words(row.rightAnswer),
      ...(adjectives.length > 0 ? options : []),
    ].map(plainStart),
    endSigns: [
      ...conclusions,
      ...verdicts.slice(0, -1),
      ...nouns,
      ...words(row.rightAnswer),
      ...adjectives,
    ].map(plainStart),
  };
  return compiledAtFirstUse(known, {
    heading: pattern(
      `${lead}(?:${subject}${topic}${BETWEEN}[:：→⇒ঃ]|(?<=[[【])${subject}[\\]】][\\s*]{0,3}[:：]?|(?:${strong}|${noun})ঃ)`,
    ),
    title: pattern(`^[#*_> \\t\\x60]{0,12}(?:${article}${gap})?${subject}[*_ \\t\\x60.]{0,8}$`, 'gimu'),
    ...(row.solution
      ? {
          solution: pattern(
            `^[#*_> \\t]{0,8}(?:(?:${article}|${adjective})${gap}){0,2}${solution}[*_ ]{0,4}[:：](?=[^\\n]{1,24}$)`,
            'gimu',
          ),
        }
      : {}),
    sentence: pattern(
      `${lead}(?:${strong}|${noun}|${solution})${right}${topic}${BETWEEN}${row.unspaced ? String.raw`\s?` : String.raw`\s`}${end(verbs)}`,
    ),
    bare: pattern(
      `${lead}(?:${strong}${right}[\\s*_"'\\x60}\\])]{0,8}|${noun}${right}[*_]{0,3}\\s{1,2}(?:[—–-](?=\\s)${verbLast}))`,
    ),
    value: pattern(
      String.raw`[\s"'(\[*_\x60$]{0,6}(?:${article}\s{1,2})?(?:${option}\s{0,2})?[\s"'(\[*_\x60$]{0,6}(?:[A-Z](?![\p{sc=Latin}\p{M}\p{N}_])|(?:${scriptLetters})${NO_WORD_AFTER}|[-−+]?[$€£¥₹]?\d|\\(?:boxed|frac|sqrt|\())`,
      'uy',
    ),
    filler: pattern(
      `^(?:${end([...articles.filter((word) => !single.includes(word)), ...adjectives, ...nouns, ...options, ...words(row.so), ...words(row.of), ...verbs])})[\\s:,—–-]{0,4}(?=\\S)`,
      'iu',
    ),
    ...(single.length > 0
      ? {
          letterFiller: pattern(
            `^(?:${single.join('|')})\\s{1,2}(?=["([*]{0,3}[A-Z]${NO_WORD_AFTER}|${option})`,
            'u',
          ),
        }
      : {}),
    ...(row.about
      ? { about: pattern(`${isJoined ? '' : NO_WORD_BEFORE}${oneOf(words(row.about))}[^.:!?\\n]*$`, 'iu') }
      : {}),
    ...(after.length > 0 ? { after: pattern(`^\\s{0,2}${end(after)}`, 'iu') } : {}),
    ...(reasons.length > 0 ? { reason: pattern(`,?\\s{0,2}${left}${end(reasons)}`, 'iu') } : {}),
    ...(qualifiers.length > 0
      ? { qualifies: pattern(`${left}${end(qualifiers)}(?:\\s{0,2}${end(verbs)})?[\\s:*]{0,3}$`, 'iu') }
      : {}),
    ...(row.not ? { not: pattern(`${isJoined ? '' : NO_WORD_BEFORE}${end(words(row.not))}`, 'iu') } : {}),
    ...(row.notAfter
      ? { notAfter: pattern(`${row.unspaced ? '' : NO_WORD_BEFORE}${end(words(row.notAfter))}`, 'iu') }
      : {}),
    ...(row.bound ? { bound: pattern(`${left}${end(words(row.bound))}`, 'iu') } : {}),
    ...(row.correct
      ? {
          verdict: pattern(
            `(${option}\\s{0,2})?(["'([*]{0,3})(${LETTER})["')\\]*]{0,3}\\s{0,2}(${option}\\s{0,2})?(${end(verbs)}\\s{0,2})?(?:${end(articles)}\\s{0,2})?${end(verdicts)}`,
          ),
        }
      : {}),
    ...(conclusions.length > 0
      ? {
          conclusion: pattern(
            `${isJoined ? '' : NO_WORD_BEFORE}${end(conclusions)}[\\s,:]{0,3}(?:${end(articles)}\\s{0,2})?(?:${end(verbs)}\\s{0,2})?(?:${end(articles)}\\s{0,2})?(?:(?:${option}|${noun})\\s{0,2})?["'([*]{0,3}(${LETTER})["')\\]*]{0,3}(?:${end(after)})?(?:[\\s,]{0,3}${end(reasons)}.{0,300})?[\\s.!]{0,3}$`,
            'iu',
          ),
        }
      : {}),
    ...(options.length > 0
      ? { option: pattern(`${left}${option}\\s{0,2}["'([*]{0,3}(${LETTER})["')\\]*]{0,3}`) }
      : {}),
  });
}

const isLatin = (row: AnswerWords) => /^\p{sc=Latin}/u.test(row.answer);

/** Returns the literal beginning of a word, for a text search. */
const plainStart = (word: string) => /^[^[\\(?{+*]*/.exec(word.replace(/^\[[^\]]*\]\??/, ''))?.[0] ?? '';

export const ANSWER_FORMS: readonly AnswerForms[] = ANSWER_WORDS.map(formsOf);

/** Returns the languages in which a text may state an answer: those with a sign in it. */
export function languagesOf(text: string): AnswerForms[] {
  const lower = text.toLowerCase();
  return ANSWER_FORMS.filter((forms) => forms.signs.some((sign) => lower.includes(sign)));
}

/** Returns the languages of a last line's conclusion. */
export function languagesOfEnd(line: string): AnswerForms[] {
  const lower = line.toLowerCase();
  return ANSWER_FORMS.filter((forms) => forms.endSigns.some((sign) => lower.includes(sign)));
}

/** Returns the patterns of negations after a choice. */
export function denials(): RegExp[] {
  return ANSWER_FORMS.flatMap(({ notAfter }) => notAfter ?? []);
}

/** Returns patterns after a Latin letter that show it to be a choice, in languages of other scripts. */
export function afterLetter(): RegExp[] {
  return ANSWER_FORMS.flatMap((forms, index) =>
    isLatin(ANSWER_WORDS[index] as AnswerWords) ? [] : (forms.after ?? []),
  );
}

/** Pattern of text that ends with a verb for "is", in any language: `Die Summe ist`, `总数是`. */
export const CLAIMS = new RegExp(
  `(?:${ANSWER_WORDS.map(({ is = '', unspaced }) => {
    const verbs = words(is).filter((verb) => /^[\p{L}\p{M}\s]+$/u.test(verb));
    return (unspaced ? '' : NO_WORD_BEFORE) + oneOf(verbs);
  }).join('|')})[\\s:*]{0,8}$`,
  'iu',
);
