import { parse as parseCsv } from 'csv-parse/sync';
import { isMapping } from '../../../contracts/json.js';
import type { Notes } from './notes.js';
import { namesFile, pathOf, textAt, valueAt } from './promptfoo-files.js';
import { rendered } from './promptfoo-templates.js';

/** An assertion that `examples/promptfoo/assertions-env.ts` judges. */
export interface Assertion {
  type: string;
  value?: unknown;
  weight?: number;
}

/** Types that are judged, with or without `not-` before them. */
const JUDGED = [
  'equals',
  'contains',
  'icontains',
  'contains-any',
  'contains-all',
  'icontains-any',
  'icontains-all',
  'starts-with',
  'regex',
  'is-json',
  'contains-json',
  'word-count',
];
const OF_LISTS = /^(?:not-)?i?contains-(?:any|all)$/;
const OF_JSON = /^(?:not-)?(?:is|contains)-json$/;

/**
 * Reads an assertion in the short form of a table's `__expected` column: `contains: Paris`, `similar(0.8): Hello`.
 * A text without a type has to be equal.
 */
export function shortAssertion(text: string): Record<string, unknown> {
  const [, type, threshold, rest] =
    /^((?:not-)?[a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/.exec(text) ?? [];
  const isType = type !== undefined && (rest !== undefined || /^(?:not-)?(?:is|contains)-/.test(type));
  if (!isType) return { type: 'equals', value: text };
  const value = rest?.trim();
  return {
    type: type === 'fn' || type === 'eval' ? 'javascript' : type === 'grade' ? 'llm-rubric' : type,
    ...(value === undefined ? {} : { value: OF_LISTS.test(type) ? listed(value) : value }),
    ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
  };
}

function listed(text: string): string[] {
  const [row = []] = parseCsv(text, { relax_quotes: true, trim: true }) as string[][];
  return row;
}

/** Returns those of a test's assertions that can be judged, with their values filled in; notes the others. */
export function judgedAssertions(
  written: readonly unknown[],
  { vars, folder, notes }: { vars: Record<string, unknown>; folder: string; notes: Notes },
): Assertion[] {
  return written.flatMap((one) => {
    if (!isMapping(one)) return [];
    const { type, value, weight, threshold, transform } = one;
    const left = (why: string) => {
      notes.add(`An assertion of type ${String(type)} is not carried over${why}`);
      return [];
    };
    if (type === 'assert-set' && Array.isArray(one.assert)) {
      if (threshold !== undefined) return left(' with its threshold');
      return judgedAssertions(one.assert, { vars, folder, notes });
    }
    if (typeof type !== 'string' || !JUDGED.includes(type.replace(/^not-/, ''))) return left('');
    if (transform !== undefined) return left(', because it transforms the output with code');
    if (OF_JSON.test(type) && value !== undefined) {
      notes.add(`An assertion of type ${type} is carried over without its schema`);
      return [{ type, ...weightOf(weight) }];
    }
    const read = namesFile(value) ? fileValue(pathOf(value, folder)) : value;
    if (read === undefined && !OF_JSON.test(type)) return left(', because it has no value');
    const filled = fill(read, vars);
    if (filled === null) return left(', because its value is a template that cannot be filled in');
    return [{ type, ...(read === undefined ? {} : { value: filled.value }), ...weightOf(weight) }];
  });
}

const weightOf = (weight: unknown) => (typeof weight === 'number' ? { weight } : {});

function fileValue(path: string): unknown {
  return /\.(?:json|ya?ml)$/i.test(path) ? valueAt(path) : textAt(path).trim();
}

/** Fills variables into the texts of a value; null where one is no template. */
function fill(value: unknown, vars: Record<string, unknown>): { value: unknown } | null {
  if (typeof value === 'string') {
    const text = rendered(value, vars);
    return text === null ? null : { value: text };
  }
  if (!Array.isArray(value)) return { value };
  const all = value.map((one) => fill(one, vars));
  return all.includes(null) ? null : { value: all.map((one) => one?.value) };
}
