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

/** The same for metric units: the prefixes that are read before the symbol and the names, and these. */
const METRIC_UNITS: [prefixes: string, symbol: string, ...names: string[]][] = [
  ['dunpf', 'm', 'meter', 'metre'],
  ['unp', 'g', 'gram'],
  ['unpf', 's', 'second'],
  ['dcu', 'L', 'liter', 'litre'],
  ['kmun', 'mol', 'mole'],
  ['mun', 'M', 'molar'],
  ['kMmun', 'N', 'newton'],
  ['kMGTmun', 'J', 'joule'],
  ['kMGTmun', 'W', 'watt'],
  ['kMmu', 'V', 'volt'],
  ['kmunp', 'A', 'ampere', 'amp'],
  ['munp', 'C', 'coulomb'],
  ['munp', 'F', 'farad'],
  ['mun', 'H', 'henry'],
  ['mun', 'T', 'tesla'],
  ['mu', 'S', 'siemens'],
  ['mun', 'K', 'kelvin'],
  ['kMGm', 'ohm'],
  ['kMGh', 'Pa', 'pascal'],
  ['kMGTm', 'eV', 'electronvolt'],
  ['kMGT', 'Hz', 'hertz'],
  ['m', 'Wb', 'weber'],
  ['mu', 'Gy', 'gray'],
  ['mu', 'Sv', 'sievert'],
  ['kMG', 'Bq', 'becquerel'],
  ['mu', 'Ci', 'curie'],
  ['', 'KB', 'kilobyte'],
  ['', 'MB', 'megabyte'],
  ['', 'GB', 'gigabyte'],
  ['', 'TB', 'terabyte'],
  ['', 'dB', 'decibel'],
  ['', 'AU'],
  ['', 'ly'],
];

const PREFIXES: Record<string, string> = {
  ...{ T: 'tera', G: 'giga', M: 'mega', k: 'kilo', h: 'hecto', d: 'deci' },
  ...{ c: 'centi', m: 'milli', u: 'micro', n: 'nano', p: 'pico', f: 'femto' },
};

const CANONICAL = new Map<string, string>();

/** Metric units of one or two letters, which stand apart from their number: `3nm` is a product. */
const SHORT = new Set<string>();

function addUnit(name: string, spellings: string[]): void {
  for (const spelling of spellings) {
    CANONICAL.set(spelling, name);
    if (spelling.length > 2) CANONICAL.set(`${spelling}s`, name);
  }
}

for (const [name = '', ...others] of UNITS) addUnit(name, [name, ...others]);
for (const [prefixes, symbol, ...names] of METRIC_UNITS) {
  for (const prefix of ['', ...prefixes]) {
    const name = prefix + symbol;
    if (CANONICAL.has(name)) continue;
    addUnit(name, [name, ...names.map((one) => (PREFIXES[prefix] ?? '') + one)]);
    if (name.length < 3) SHORT.add(name);
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
  lakh: '100000',
  crore: '10000000',
  million: '1000000',
  billion: '1000000000',
  trillion: '1000000000000',
};

/** Unit of a text that is not in the table, such as `apples`. It agrees with every unit. */
export const OTHER_UNIT = 'other';

/** Writes units in letters: `\mu m` as `um`, `k\Omega` as `kohm`, `J/(mol\cdot K)` as `J/mol.K`. */
export function plainUnits(text: string): string {
  return text
    .replace(/\\mu ?/g, 'u')
    .replace(/\b([kMGm]) (?=\\Omega)/g, '$1')
    .replace(/\\Omega ?/g, 'ohm')
    .replace(/ ?\\(?:cdot|times) ?/g, '.')
    .replace(/\/\(([^()]*)\)/g, '/$1');
}

/**
 * Returns the common spelling of a unit such as `cm^{2}`, `square centimeters`, `miles per hour`; `OTHER_UNIT` for
 * other words, `undefined` for text that is no unit (an unknown, a condition).
 * @param isApart whether it stands apart from its number, which short units do
 */
export function readUnit(text: string, isApart = true): string | undefined {
  const words = text
    .replace(/\bper\b/g, '/')
    .replace(/(?<=[a-z])-|(?<=[a-zA-Z}])\./g, ' ')
    .replace(/\bNm\b/g, isApart ? 'N m' : 'Nm');
  const tokens = words.match(/[a-zA-Z¢]+|\^\{-?\d\}|\//g);
  if (!tokens || tokens.length > 8 || tokens.join('') !== words.replace(/ /g, '')) return undefined;
  const factors: { unit: string; power: number }[] = [];
  let sign = 1;
  let power = 1;
  let known = true;
  for (const token of tokens) {
    const lower = token.toLowerCase();
    const last = factors.at(-1);
    if (token === '/') sign = -1;
    else if (token.startsWith('^')) {
      if (!last) return undefined;
      last.power *= Number(token.replace(/[{}^]/g, ''));
    } else if (lower === 'square' || lower === 'sq' || lower === 'squared') power = 2;
    else if (lower === 'cubic' || lower === 'cu' || lower === 'cubed') power = 3;
    else if (NOT_UNITS.has(lower)) return undefined;
    else {
      // Short ones keep their case: N is a newton, n is an unknown.
      const unit =
        CANONICAL.get(token) ?? (SHORT.has(lower) || token.length === 1 ? undefined : CANONICAL.get(lower));
      if ((!unit && lower.length < 3) || (SHORT.has(token) && !isApart)) return undefined;
      known = known && unit !== undefined;
      factors.push({ unit: unit ?? lower, power: sign * power });
      power = 1;
    }
  }
  const last = factors.at(-1);
  if (!last) return power === 1 ? undefined : OTHER_UNIT;
  last.power *= power;
  return known ? productOf(factors) : OTHER_UNIT;
}

/** Writes a product of units in one spelling: `m/s^2` and `m s^{-2}` are `m s^-2`. */
function productOf(factors: readonly { unit: string; power: number }[]): string {
  const powers = new Map<string, number>();
  for (const { unit, power } of factors) powers.set(unit, (powers.get(unit) ?? 0) + power);
  return [...powers]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([unit, power]) => (power === 1 ? unit : `${unit}^${power}`))
    .join(' ');
}

/** Reports whether two units contradict each other. A missing or an unknown one contradicts none. */
export function unitsDiffer(left: string | undefined, right: string | undefined): boolean {
  return left !== right && [left, right].every((unit) => unit !== undefined && unit !== OTHER_UNIT);
}
