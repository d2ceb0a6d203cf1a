import { languagesOf } from './answer-forms.js';

/** Words for powers of ten in languages other than English, each with the English word or the factor. */
const SCALES: [english: string, words: string][] = [
  [
    'thousand',
    'tausend|tsd\\.?|tys\\.?|tūkst\\.?|mille|mila|duizend|tusen|tusind|tuhatta|tysi(?:ąc|ące|ęcy)|tis[ií]ce?|тыс(?:яч[аи]?|\\.)?|тис(?:яч[аі]?|\\.)?|хиляди|hiljad[aeu]|tisuć[ae]|ezer|ribu|nghìn|ngàn|χιλιάδες|हज़ार|हजार|হাজার|هزار|ألف|آلاف|พัน(?!ธุ)|אלף|אלפים',
  ],
  [
    'million',
    'mio\\.?|mln\\.?|million(?:en|er|s)|mill[oó]n(?:es)?|milh(?:ão|ões)|milion[ei]|miljoen|miljon(?:er)?|miljoonaa|mili(?:ony|onów)|mili[oó]n[yů]?|milyon|millió|milioane|milijuna?|милли?он(?:а|ов|ів|и)?|мільйон(?:а|ів|и)?|млн\\.?|juta|triệu|εκατομμύρι[αο]|मिलियन|مليون|میلیون|ล้าน|מיליון',
  ],
  [
    'billion',
    'mrd\\.?|mld\\.?|milliard(?:en?|er|s)?|miliard(?:i|o|y|a|ów)?|miljard(?:er|ia)?|milyar|bilh(?:ão|ões)|mil millones|миллиард(?:а|ов)?|мільярд(?:а|ів|и)?|млрд\\.?|miliar|tỷ|tỉ|δισεκατομμύρι[αο]|مليار|میلیارد|מיליארד',
  ],
  ['trillion', 'billionen|bill[oó]nes|billón|трлн\\.?|триллион(?:а|ов)?'],
  ['lakh', 'लाख|লাখ|লক্ষ|lakhs'],
  ['crore', 'करोड़|করোড়|কোটি|crores'],
];

/** Words that are words of English, too: they are read in sentences of these languages. */
const OWN_SCALES: [languages: RegExp, word: string][] = [
  [/Spanish|Portuguese|Catalan/, 'mil'],
  [/Turkish|Azerbaijani/, 'bin'],
];

/** Number with what may stand between it and a word: a space, `\text{`. */
const NUMBER = String.raw`(\d)(?:[^\S\n]|\\[,; ]|~)?((?:\\text\{\s?)?)`;
/** In Thai the next word follows without a space. */
const NO_WORD_AFTER = String.raw`(?!(?!\p{Script=Thai})[\p{L}\p{M}\p{N}])`;

const PATTERNS = SCALES.toReversed().map(([english, words]): [string, RegExp] => [
  english,
  new RegExp(`${NUMBER}(?:${words})${NO_WORD_AFTER}`, 'giu'),
]);

const BEFORE_WORD = new RegExp(`${NUMBER}\\p{L}`, 'u');

/** Factors of Chinese, Japanese and Korean, which follow their numbers: `3万`, `3억 5천만`. */
const FACTORS: Record<string, bigint> = {
  ...{ 百: 100n, 백: 100n, 千: 1000n, 천: 1000n },
  ...{
    万: 10n ** 4n,
    萬: 10n ** 4n,
    만: 10n ** 4n,
    亿: 10n ** 8n,
    億: 10n ** 8n,
    억: 10n ** 8n,
    兆: 10n ** 12n,
    조: 10n ** 12n,
  },
};

/** Signs of factors, but not in 千克 and 兆赫, kilograms and megahertz, nor in 만큼 and 조각, "as much as" and "piece". */
const FACTOR = String.raw`(?:百(?![帕分])|千(?![克米瓦卡升焦帕伏牛赫兆安欧字])|兆(?![瓦赫焦帕欧字])|만(?!큼)|조(?= ?원| \d)|[백천万萬亿億억]){1,3}(?!分之)`;

/** Number in parts with a factor each, and maybe a last one without. */
const CHAIN = new RegExp(
  String.raw`(?<![\d.,])\d[\d,]{0,20}(?:\.\d{1,20})? ?${FACTOR}(?: ?\d[\d,]{0,20} ?${FACTOR})*(?:\d{1,4}(?![\d.,]))?`,
  'gu',
);

/** Rewrites amounts with words for powers of ten in other languages: `3 Millionen` as `3 million`, `3万` as `30000`. */
export function plainScales(text: string): string {
  if (!BEFORE_WORD.test(text)) return text;
  const words = PATTERNS.reduce((rest, [english, pattern]) => rest.replace(pattern, `$1 $2${english}`), text);
  return withOwnScales(words).replace(CHAIN, (chain) => digitsOf(chain) ?? chain);
}

function withOwnScales(text: string): string {
  const found = OWN_SCALES.filter(([, word]) => text.includes(word));
  if (found.length === 0) return text;
  const languages = languagesOf(text).map(({ language }) => language);
  return found
    .filter(([own]) => languages.some((language) => own.test(language)))
    .reduce(
      (rest, [, word]) =>
        rest.replace(new RegExp(`${NUMBER}${word}${NO_WORD_AFTER}`, 'giu'), '$1 $2thousand'),
      text,
    );
}

/** Returns the digits of a chain; `undefined` where a fraction remains. */
function digitsOf(chain: string): string | undefined {
  let sum = 0n;
  for (const [, digits = '', fraction = '', factors = ''] of chain.matchAll(
    /(\d[\d,]*)(?:\.(\d+))?\s?(\D*)/gu,
  )) {
    const factor = [...factors.trim()].reduce((product, one) => product * (FACTORS[one] ?? 1n), 1n);
    const scaled = BigInt(digits.replaceAll(',', '') + fraction) * factor;
    const divisor = 10n ** BigInt(fraction.length);
    if (scaled % divisor !== 0n) return undefined;
    sum += scaled / divisor;
  }
  return String(sum);
}
