import { isMapping } from '../../../contracts/json.js';
import type { ImportNotes } from './notes.js';
import { type Assertion, carriedAssertions, shortAssertion } from './promptfoo-assertions.js';
import { filesAt, namesFile, pathOf, readValue, rowsAt, textAt } from './promptfoo-files.js';
import type { FilledRubric } from './promptfoo-rubrics.js';
import { rendered } from './promptfoo-templates.js';

/** A test with the values of its variables, ready to be a row. */
export interface Test {
  id: string;
  description?: string;
  vars: Record<string, unknown>;
  assert: Assertion[];
  rubrics: FilledRubric[];
  /** The provider that judges by rubrics, as the test names it. */
  grader: unknown;
  /** False where the test has further assertions, which are not carried over. */
  isWhole: boolean;
  threshold?: number;
  metadata?: Record<string, unknown>;
  /** Texts around each prompt. */
  prefix: string;
  suffix: string;
}

type Written = Record<string, unknown>;

const section = (value: unknown): Written => (isMapping(value) ? value : {});
const list = (value: unknown): unknown[] => (value == null ? [] : [value].flat());

/** Fields of a test that say something which is not carried over. */
const NOT_CARRIED = ['provider', 'providers', 'prompts', 'assertScoringFunction'];
const OPTIONS_NOT_CARRIED = [
  ...['transform', 'transformVars', 'postprocess', 'storeOutputAs', 'runSerially', 'rubricPrompt'],
];

/** Reads all tests of a config: listed, in files, and of scenarios, with what `defaultTest` adds. */
export async function readTests(config: Written, folder: string, notes: ImportNotes): Promise<Test[]> {
  const usual = section(
    namesFile(config.defaultTest) ? readValue(pathOf(config.defaultTest, folder)) : config.defaultTest,
  );
  const listed = await writtenTests(config.tests, folder, notes);
  const ofScenarios: Written[] = [];
  for (const written of list(config.scenarios)) {
    const scenarios = namesFile(written) ? filesAt(pathOf(written, folder)).flatMap(readValue) : [written];
    for (const scenario of scenarios.map(section)) {
      const inner = await writtenTests(scenario.tests, folder, notes);
      for (const data of list(scenario.config).map(section))
        ofScenarios.push(...(inner.length === 0 ? [data] : inner.map((test) => merged(data, test))));
    }
  }
  const all = [...listed, ...ofScenarios];
  // Without tests, promptfoo asks each prompt once.
  const written = all.length === 0 ? [{}] : all;
  const tests = written.flatMap((test) => expanded(merged(usual, test), folder, notes));
  return tests.map((test, index) => ({ ...test, id: `test-${index + 1}` }));
}

/** Lays a test over another one; assertions of both count. */
function merged(under: Written, over: Written): Written {
  const options = section(over.options);
  // An empty prefix or suffix is none.
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ''));
  const base = options.disableDefaultAsserts === true ? [] : list(under.assert);
  return {
    ...under,
    ...over,
    vars: { ...section(under.vars), ...section(over.vars) },
    metadata: { ...section(under.metadata), ...section(over.metadata) },
    options: { ...section(under.options), ...given },
    assert: [...base, ...list(over.assert)],
  };
}

async function writtenTests(tests: unknown, folder: string, notes: ImportNotes): Promise<Written[]> {
  const all: Written[] = [];
  for (const written of list(tests)) {
    if (isMapping(written) && !('path' in written)) {
      const { vars } = written;
      const isFile = typeof vars === 'string';
      all.push(isFile ? { ...written, vars: readValue(pathOf(vars, folder)) } : written);
      continue;
    }
    const named = String(isMapping(written) ? written.path : written);
    if (/^(?:https?|huggingface|az|sharepoint):/.test(named)) {
      notes.add(`The tests at ${named} are not carried over: they are not in a file`);
      continue;
    }
    for (const path of filesAt(pathOf(named, folder))) {
      const rows = await rowsAt(path);
      if (rows === null)
        notes.add(`The tests in ${named} are not carried over: they are code or a spreadsheet`);
      else
        all.push(...rows.map((row) => (isTest(row) && !/\.csv$/i.test(path) ? row : fromTable(row, notes))));
    }
  }
  return all;
}

/** Reports whether an entry of a file is a test; a mapping of variables alone is a row of a table. */
const isTest = (entry: Written) => ['vars', 'assert', 'options'].some((name) => name in entry);

/** Converts a row of a table, whose columns are variables but for those that begin with `__`. */
function fromTable(row: Written, notes: ImportNotes): Written {
  const vars: Written = {};
  const metadata: Written = {};
  const options: Written = {};
  const assert: Written[] = [];
  const test: Written = { vars, metadata, options, assert };
  for (const [column, cell] of Object.entries(row)) {
    const text = String(cell ?? '');
    const ofMetadata = /^__metadata:(.+?)(\[\])?$/.exec(column);
    if (!column.startsWith('__')) vars[column] = cell;
    else if (column === '__prefix' || column === '__suffix') options[column.slice(2)] = text;
    else if (text.trim() === '') continue;
    else if (/^__expected\d*$/.test(column)) assert.push(shortAssertion(text));
    else if (column === '__description') test.description = text;
    else if (column === '__threshold') test.threshold = Number(text);
    else if (ofMetadata) metadata[ofMetadata[1] as string] = ofMetadata[2] ? text.split(',') : text;
    else if (column !== '__metric') notes.add(`The column ${column} is not carried over`);
  }
  return test;
}

/** Makes a test of each combination of the variables that are lists of texts; other lists are values as they stand. */
function expanded(written: Written, folder: string, notes: ImportNotes): Omit<Test, 'id'>[] {
  const options = section(written.options);
  for (const name of NOT_CARRIED)
    if (written[name] !== undefined) notes.add(`A test's ${name} is not carried over`);
  for (const name of OPTIONS_NOT_CARRIED)
    if (options[name] !== undefined) notes.add(`A test's options.${name} is not carried over`);
  let combinations: Written[] = [{}];
  for (const [name, value] of Object.entries(section(written.vars))) {
    const isSeveral =
      Array.isArray(value) && typeof value[0] === 'string' && options.disableVarExpansion !== true;
    const values = isSeveral ? value : [value];
    const read = values.flatMap((one) => valuesOf(name, one, folder, notes));
    combinations = combinations.flatMap((vars) => read.map((one) => ({ ...vars, [name]: one })));
  }
  const { description, threshold } = written;
  const metadata = section(written.metadata);
  const metrics = list(written.assert);
  return combinations.map((vars) => {
    const filled = Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [name, nested(value, vars)]),
    );
    const { assert, rubrics } = carriedAssertions(metrics, { vars: filled, folder, notes });
    return {
      ...(typeof description === 'string' ? { description } : {}),
      vars: filled,
      assert,
      rubrics,
      grader: options.provider,
      isWhole: assert.length + rubrics.length === countOf(metrics),
      ...(typeof threshold === 'number' && Number.isFinite(threshold) ? { threshold } : {}),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      prefix: String(options.prefix ?? ''),
      suffix: String(options.suffix ?? ''),
    };
  });
}

/** Counts assertions, those in sets as well. */
function countOf(assertions: readonly unknown[]): number {
  return assertions.reduce<number>((sum, one) => {
    const { assert } = section(one);
    return sum + (Array.isArray(assert) ? countOf(assert) : 1);
  }, 0);
}

/** Variables may name each other. */
function nested(value: unknown, vars: Written): unknown {
  return typeof value === 'string' ? (rendered(value, vars) ?? value) : value;
}

/** Files with code, documents, images, sounds and films, which promptfoo does not read as texts. */
const NO_TEXT =
  /\.(?:[cm]?[jt]s|py|rb|pdf|docx?|xlsx?|pptx?|zip|jpe?g|png|gif|bmp|webp|svg|mp[34]|wav|ogg|flac|m4a|aac|opus|webm|mov|avi|mkv|m4v|wmv)(?::\w+)?$/i;

/** Returns what a value of a variable stands for: itself, without a line end, or what is in each of the files it names. */
function valuesOf(name: string, value: unknown, folder: string, notes: ImportNotes): unknown[] {
  if (!namesFile(value)) return [typeof value === 'string' ? value.replace(/\n$/, '') : value];
  return filesAt(pathOf(value, folder)).map((path) => {
    if (/\.(?:ya?ml|json)$/i.test(path)) return readValue(path);
    if (!NO_TEXT.test(path)) return textAt(path).trim();
    notes.add(`The content of ${value} is not carried over: the variable ${name} is its address`);
    return value;
  });
}
