import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../contracts/json.js';
import { type PaceFields, withoutFields } from './pacing.js';

/** Field in which two experiments differ. */
export interface Difference {
  /** Dotted path, such as `lm.temperature`. */
  field: string;
  /** Values of the two; absent where the experiment has no such field. */
  baseline?: unknown;
  other?: unknown;
}

/** Lists every field in which two configs differ, except the name and what only paces the work. */
export function configDifferences(
  baseline: object,
  other: object,
  { concurrency, fixed, free }: PaceFields,
): Difference[] {
  const ignored = [concurrency, ...fixed, ...free];
  return differencesIn(withoutFields(baseline, ignored), withoutFields(other, ignored));
}

/** @param path of the values, with a dot at its end where there is one */
export function differencesIn(
  baseline: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
  path = '',
): Difference[] {
  return [...new Set([...Object.keys(baseline), ...Object.keys(other)])].flatMap((name) => {
    const [left, right] = [baseline[name], other[name]];
    const field = `${path}${name}`;
    // Null means the same as absent.
    if (isDeepStrictEqual(left ?? null, right ?? null)) return [];
    if (isMapping(left) && isMapping(right)) return differencesIn(left, right, `${field}.`);
    return [
      {
        field,
        ...(left === undefined ? {} : { baseline: left }),
        ...(right === undefined ? {} : { other: right }),
      },
    ];
  });
}

const sectionOf = (field: string) => field.slice(0, Math.max(0, field.lastIndexOf('.')));

/** Fields that determine which other fields their section has. */
const DETERMINING = /\.(type|_type|provider)$/;

/**
 * Selects the differences that are changes of their own. A model is one change with its provider, and the fields that
 * only one experiment has are none where the type of their section differs: another `agent.type` brings its own.
 * @param expected fields or sections that are meant to differ
 */
export function unexpectedDifferences(
  differences: readonly Difference[],
  expected: readonly string[],
): string[] {
  const left = differences.filter(
    ({ field }) => !expected.some((one) => field === one || field.startsWith(`${one}.`)),
  );
  const determined = new Set(
    differences.filter(({ field }) => DETERMINING.test(field)).map(({ field }) => sectionOf(field)),
  );
  const isWhole = ({ baseline, other }: Difference) => baseline !== undefined && other !== undefined;
  const counted = left.filter((one) => isWhole(one) || !determined.has(sectionOf(one.field)));
  const fields = counted.map(({ field }) => field);
  return fields.filter((field) => {
    const model = field.replace(/(^|\.)provider$/, '$1model');
    return model === field || !fields.includes(model);
  });
}
