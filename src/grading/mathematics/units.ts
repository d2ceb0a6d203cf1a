/** Distinct units: two different ones of this table never agree. Each row: the name, then other spellings. */
const UNITS: string[][] = [
  ['mm', 'millimeter', 'millimetre'],
  ['cm', 'centimeter', 'centimetre'],
  ['m', 'meter', 'metre'],
  ['km', 'kilometer', 'kilometre'],
  ['inch', 'inches', 'in'],
  ['foot', 'feet', 'ft'],
  ['yard', 'yd'],
  ['mile', 'mi'],
  ['mg', 'milligram'],
  ['g', 'gram'],
  ['kg', 'kilogram'],
  ['pound', 'lb', 'lbs'],
  ['ounce', 'oz'],
  ['ml', 'milliliter', 'millilitre'],
  ['L', 'l', 'liter', 'litre'],
  ['gallon', 'gal'],
  ['ms', 'millisecond'],
  ['s', 'second', 'sec'],
  ['minute', 'min', 'mins'],
  ['h', 'hour', 'hr', 'hrs'],
  ['day'],
  ['week'],
  ['month'],
  ['year', 'yr', 'yrs'],
  ['usd', 'dollar', 'buck'],
  ['cent', '¢'],
  ['eur', 'euro'],
  ['gbp'],
  ['jpy', 'yen'],
  ['inr', 'rupee'],
  ['mph'],
  ['kph', 'kmh'],
  ['radian', 'rad'],
  ['degree'],
  ['J', 'joule'],
  ['kJ', 'kilojoule'],
  ['N', 'newton'],
  ['W', 'watt'],
  ['kW', 'kilowatt'],
  ['V', 'volt'],
  ['K', 'kelvin'],
  ['Hz', 'hertz'],
];

const CANONICAL = new Map<string, string>();
for (const [name = '', ...others] of UNITS) {
  for (const spelling of [name, ...others]) {
    CANONICAL.set(spelling, name);
    if (spelling.length > 2) CANONICAL.set(`${spelling}s`, name);
  }
}

/** Words that change the meaning of a number; text with one of them is not a unit. */
const NOT_UNITS = new Set(
  'or and more less fewer greater than least most not no if when where for to from at between about is are was be by with such that which because since only also plus minus times divided mod modulo'.split(
    ' ',
  ),
);

/** Words for powers of ten. */
export const MULTIPLES: Record<string, string> = {
  hundred: '100',
  thousand: '1000',
  million: '1000000',
  billion: '1000000000',
  trillion: '1000000000000',
};

/** Unit of a text that is not in the table, such as `apples`. It agrees with every unit. */
const OTHER_UNIT = 'other';

/**
 * Returns the common spelling of a unit such as `cm^{2}`, `square centimeters`, `miles per hour`; `OTHER_UNIT` for
 * other words, `undefined` for text that is no unit (an unknown, a condition).
 */
export function readUnit(text: string): string | undefined {
  const words = text.replace(/\bper\b/g, '/').replace(/(?<=[a-z])[-.]/g, ' ');
  const tokens = words.match(/[a-zA-Z¢]+|\^\{-?\d\}|\//g);
  if (!tokens || tokens.length > 8 || tokens.join('') !== words.replace(/ /g, '')) return undefined;
  let result = '';
  let power = '';
  let known = true;
  for (const token of tokens) {
    const lower = token.toLowerCase();
    if (token === '/') result += '/';
    else if (token.startsWith('^')) result += token.replace(/[{}]/g, '');
    else if (lower === 'square' || lower === 'sq' || lower === 'squared') power = '^2';
    else if (lower === 'cubic' || lower === 'cu' || lower === 'cubed') power = '^3';
    else if (NOT_UNITS.has(lower)) return undefined;
    else {
      // Single letters keep their case: N is a newton, n is an unknown.
      const unit = CANONICAL.get(token) ?? (token.length > 1 ? CANONICAL.get(lower) : undefined);
      if (!unit && lower.length < 3) return undefined;
      known = known && unit !== undefined;
      result += (unit ?? lower) + power;
      power = '';
    }
  }
  if (result === '') return power ? OTHER_UNIT : undefined;
  return known ? result + power : OTHER_UNIT;
}

/** Reports whether two units contradict each other. A missing or an unknown one contradicts none. */
export function unitsDiffer(left: string | undefined, right: string | undefined): boolean {
  return left !== right && [left, right].every((unit) => unit !== undefined && unit !== OTHER_UNIT);
}
