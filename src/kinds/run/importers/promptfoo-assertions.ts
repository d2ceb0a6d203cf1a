import { parse as parseCsv } from 'csv-parse/sync';
import { isMapping } from '../../../contracts/json.js';
import type { ImportNotes } from './notes.js';
import { namesFile, pathOf, readValue, textAt } from './promptfoo-files.js';
import type { FilledRubric } from './promptfoo-rubrics.js';
import { listVariable, rendered } from './promptfoo-templates.js';

/** An assertion that `examples/promptfoo/assertions-env.ts` judges. */
export interface Assertion {
  type: string;
  value?: unknown;
  weight?: number;
}

/** Assertions of a test that are carried over. */
interface CarriedAssertions {
  assert: Assertion[];
  rubrics: FilledRubric[];
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
/** The type of scorer that judges what is like an assertion that is not carried over. */
const SCORERS: Readonly<Record<string, string>> = {
  javascript: 'code',
  python: 'code',
  similar: 'similarity',
  'rouge-n': 'rouge',
  bleu: 'bleu',
  'g-eval': 'model_graded',
  factuality: 'model_graded',
  'model-graded-closedqa': 'model_graded',
  'model-graded-factuality': 'model_graded',
  'answer-relevance': 'model_graded',
};
/** Further types of promptfoo, by which a type in a table is told from an answer such as `note: …` or an address. */
const OTHERS =
  'classifier contains-html contains-sql contains-xml conversation-relevance cost eval context-faithfulness ' +
  'context-recall context-relevance finish-reason fn gleu grade guardrails is-html is-refusal is-sql ' +
  'is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml latency levenshtein ' +
  'llm-rubric max-score meteor moderation perplexity perplexity-score pi ruby search-rubric select-best ' +
  'skill-used tool-call-f1 trace-error-spans trace-span-count trace-span-duration trajectory:goal-success ' +
  'trajectory:step-count webhook trajectory:tool-args-match trajectory:tool-sequence trajectory:tool-used';
const TYPES = new Set([...JUDGED, ...Object.keys(SCORERS), ...OTHERS.split(' ')]);
/** Types that need neither a value nor a threshold; `python` alone is rather an answer. */
const WITHOUT_VALUE =
  /^(?:contains|icontains|is|context|trace|answer|conversation)-|^(?:cost|latency|perplexity|perplexity-score|moderation|guardrails)$/;
const OF_LISTS = /^(?:not-)?i?contains-(?:any|all)$/;
/** A file with code, also with the name of a function in it. */
const OF_CODE = /\.(?:[cm]?[jt]s|(py)|(rb))(?::\w+)?$/i;
const OF_JSON = /^(?:not-)?(?:is|contains)-json$/;

/**
 * Reads an assertion in the short form of a table's `__expected` column: `contains: Paris`, `similar(0.8): Hello`.
 * A text without a type has to be equal; a file with code is code.
 */
export function shortAssertion(text: string): Record<string, unknown> {
  const [code, python, ruby] = (namesFile(text) && OF_CODE.exec(text)) || [];
  if (code !== undefined) return { type: python ? 'python' : ruby ? 'ruby' : 'javascript', value: text };
  const [, type = '', threshold, rest] =
    /^((?:not-)?(?:trajectory:)?[a-z][a-z0-9-]*)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/.exec(text) ?? [];
  const name = type.replace(/^not-/, '');
  const isSaid = rest !== undefined || threshold !== undefined || WITHOUT_VALUE.test(name);
  if (!isSaid || !TYPES.has(name)) return { type: 'equals', value: text };
  const value = rest?.trim();
  return {
    type: type === 'fn' || type === 'eval' ? 'javascript' : type === 'grade' ? 'llm-rubric' : type,
    ...(value === undefined ? {} : { value: (OF_LISTS.test(type) ? listed(value) : null) ?? value }),
    ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
  };
}

/** Splits a text at its commas, outside quotes; null for quotes that are not closed. */
function listed(text: string): string[] | null {
  try {
    // Line ends are spaces here.
    const options = { relax_quotes: true, trim: true, record_delimiter: '\0' };
    const [row = []] = parseCsv(text, options) as string[][];
    return row.filter((one) => one !== '');
  } catch {
    return null;
  }
}

/** What the assertions of a test are read with. */
interface Reading {
  vars: Record<string, unknown>;
  folder: string;
  notes: ImportNotes;
}

/** Returns those of a test's assertions that are carried over, with their values filled in; notes the others. */
export function carriedAssertions(written: readonly unknown[], reading: Reading): CarriedAssertions {
  const { notes } = reading;
  const carried: CarriedAssertions = { assert: [], rubrics: [] };
  for (const one of written) {
    if (!isMapping(one)) continue;
    const { type, value, weight, threshold, transform } = one;
    const left = (why: string) => notes.add(`An assertion of type ${String(type)} is not carried over${why}`);
    if (type === 'assert-set' && Array.isArray(one.assert)) {
      if (threshold !== undefined) left(' with its threshold');
      else {
        const inner = carriedAssertions(one.assert, reading);
        carried.assert.push(...asOne(inner.assert, weight));
        carried.rubrics.push(...inner.rubrics);
      }
      continue;
    }
    const isRubric = type === 'llm-rubric';
    if (!isRubric && (typeof type !== 'string' || !JUDGED.includes(type.replace(/^not-/, '')))) {
      const scorer = SCORERS[String(type).replace(/^not-/, '')];
      left(scorer === undefined ? '' : `: see the scorer ${scorer} in docs/scorers.md`);
    } else if (transform !== undefined) {
      left(', because it transforms the output with code');
    } else if (OF_JSON.test(type) && value !== undefined) {
      notes.add(`An assertion of type ${type} is carried over without its schema`);
      carried.assert.push({ type, ...weightOf(weight) });
    } else if (OF_JSON.test(type)) {
      carried.assert.push({ type, ...weightOf(weight) });
    } else {
      const filled = filledValue(value, type, reading);
      if ('fault' in filled) left(`, because ${filled.fault}`);
      else if (isRubric && filled.value === '') left(', because it has no value');
      else if (isRubric) carried.rubrics.push(rubric(one, filled.value, notes));
      else carried.assert.push({ type, value: filled.value, ...weightOf(weight) });
    }
  }
  return carried;
}

/** Returns the assertions of a set, which have the weight of one together. */
function asOne(assertions: readonly Assertion[], weight: unknown): Assertion[] {
  const whole = typeof weight === 'number' ? weight : 1;
  const total = assertions.reduce((sum, one) => sum + (one.weight ?? 1), 0);
  if (whole === 0 || total === 0) return [...assertions];
  return assertions.map((one) => ({ ...one, weight: (whole * (one.weight ?? 1)) / total }));
}

/** Reads and fills in the value of an assertion. */
function filledValue(
  value: unknown,
  type: string,
  { vars, folder }: Reading,
): { value: unknown } | { fault: string } {
  if (namesFile(value) && OF_CODE.test(value)) return { fault: 'its value is code' };
  const read = namesFile(value) ? fileValue(pathOf(value, folder)) : value;
  if (read === undefined || read === null) return { fault: 'it has no value' };
  const list = OF_LISTS.test(type) && typeof read === 'string' ? listVariable(read, vars) : null;
  const filled = list === null ? fill(read, vars) : { value: list.map(String) };
  if (filled === null) return { fault: 'its value is a template that cannot be filled in' };
  if (!OF_LISTS.test(type)) return filled;
  const items = typeof filled.value === 'string' ? listed(filled.value) : filled.value;
  if (items === null) return { fault: 'a quote in its list is not closed' };
  return Array.isArray(items) && items.length === 0 ? { fault: 'it has no value' } : { value: items };
}

function rubric(
  { type, threshold, rubricPrompt, provider }: Record<string, unknown>,
  value: unknown,
  notes: ImportNotes,
): FilledRubric {
  for (const [name, given] of Object.entries({ threshold, rubricPrompt }))
    if (given !== undefined)
      notes.add(`An assertion of type ${String(type)} is carried over without its ${name}`);
  return { text: typeof value === 'string' ? value : JSON.stringify(value), grader: provider };
}

const weightOf = (weight: unknown) => (typeof weight === 'number' ? { weight } : {});

function fileValue(path: string): unknown {
  return /\.(?:json|ya?ml)$/i.test(path) ? readValue(path) : textAt(path).trim();
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
