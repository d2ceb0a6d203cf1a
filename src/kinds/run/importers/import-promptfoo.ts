import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { isMapping } from '../../../contracts/json.js';
import { countedText } from '../../../statistics/figure-text.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLines } from '../../../storage/json-lines.js';
import type { Imported } from './import-inspect.js';
import { ImportNotes } from './notes.js';
import { type Model, readModels } from './promptfoo-models.js';
import { filledPrompt, type Prompt, readPrompts } from './promptfoo-prompts.js';
import { criterionOf, judgeOfTests, RUBRIC_FIELD, RUBRIC_SCORERS } from './promptfoo-rubrics.js';
import { promptTemplate } from './promptfoo-templates.js';
import { readTests, type Test } from './promptfoo-tests.js';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/promptfoo/', import.meta.url));
const ENVIRONMENT = 'assertions-env.ts';
const AGENT = 'prompt-agent.ts';
const UNJUDGED = 'unjudged.jsonl';

/** Fields that are carried over, or say nothing about what is run. */
const CARRIED = [
  ...[
    'prompts',
    'providers',
    'targets',
    'tests',
    'defaultTest',
    'scenarios',
    'evaluateOptions',
    'assertionTemplates',
  ],
  ...[
    'description',
    'tags',
    'metadata',
    'outputPath',
    'sharing',
    'writeLatestResults',
    '$schema',
    'commandLineOptions',
  ],
];
const CARRIED_OPTIONS = ['repeat', 'maxConcurrency', 'showProgressBar', 'cache'];

/** Reports whether a parsed file is a config of promptfoo. */
export function isPromptfoo(value: unknown): value is Record<string, unknown> {
  return isMapping(value) && ('prompts' in value || 'providers' in value || 'targets' in value);
}

/** A prompt as the datasets and configs of runs have it. */
interface Asked {
  prompt: Prompt;
  /** Its place in the config, from 1. */
  number: number;
  /** Of the config's `dataset`. */
  dataset: Record<string, unknown>;
  /** Variables that every row needs. */
  names: string[];
  /** Field of the row with the filled prompt; null where the config has a template. */
  field: string | null;
}

/**
 * Writes a config of promptfoo as configs of runs, one for each prompt and provider, with its tests as their dataset.
 * @param path of the config, relative to which it names files
 */
export async function importPromptfoo(
  written: Record<string, unknown>,
  path: string,
  store: ArtifactStore,
): Promise<Imported> {
  const notes = new ImportNotes();
  const folder = dirname(path);
  const config = withReferences(written, written) as Record<string, unknown>;
  const tests = await readTests(config, folder, notes);
  const prompts = await readPrompts(config, folder, notes);
  const models = readModels(config, folder, notes);
  const options = isMapping(config.evaluateOptions) ? config.evaluateOptions : {};
  for (const name of Object.keys(config))
    if (!CARRIED.includes(name)) notes.add(`${name} is not carried over`);
  for (const name of Object.keys(options))
    if (!CARRIED_OPTIONS.includes(name)) notes.add(`evaluateOptions.${name} is not carried over`);

  const asked = prompts.flatMap((prompt, index) => askedPrompt(prompt, index + 1, tests, notes) ?? []);
  const rows = tests.map((test) => rowOf(test, asked, tests));
  const judge = judgeOfTests(tests, notes);
  const parts = partsOf(rows);
  const unjudged = rows.filter((row) => row.assert.length === 0 && !isGraded(row));
  const inPart = tests.filter(({ id, isWhole }) => !isWhole && !unjudged.some((row) => row.id === id)).length;
  const ungraded = rows.filter((row) => row.assert.length === 0 && isGraded(row)).length;
  if (ungraded > 0)
    notes.add(
      `${countedText(ungraded, 'test')} with no assertion but a rubric: the score rubric says what passes, not the accuracy`,
    );
  if (inPart > 0) notes.add(`${countedText(inPart, 'test')} judged by fewer assertions than in promptfoo`);
  if (unjudged.length > 0) {
    notes.add(
      `${countedText(unjudged.length, 'test')} without an assertion that is carried over: see ${UNJUDGED}`,
    );
  }
  if (models.length === 0) {
    notes.add(
      'The configs name the simulated model, since no provider is carried over: name yours as lm.model',
    );
    models.push({ name: 'simulated', lm: { model: 'simulated/toy' } });
  }

  const files: Record<string, string> = {};
  if (parts.length > 0) {
    for (const one of asked) {
      for (const [index, model] of models.entries()) {
        const name = configName([
          prompts.length > 1 ? `prompt-${one.number}` : '',
          models.length > 1 ? `model-${index + 1}-${model.name}` : '',
        ]);
        for (const part of parts) {
          const head = `# Made of ${basename(path)}: prompt ${one.number}, ${model.name}.\n${part.says}`;
          const content = runConfig(one, model, options, part, judge);
          const file = `${name}${part.suffix}.yaml`;
          await store.write(file, head + stringify(content, { lineWidth: 0 }));
          files[file] = `asks ${model.name}`;
        }
      }
    }
    for (const name of [ENVIRONMENT, AGENT]) await store.write(name, readFileSync(EXAMPLE + name, 'utf8'));
    files[ENVIRONMENT] = 'judges by assertions';
    files[AGENT] = 'sends a prompt as it stands';
    for (const { dataset, rows } of parts) {
      await store.writeStream(dataset, jsonLines(rows));
      files[dataset] = countedText(rows.length, 'test');
    }
  }
  if (unjudged.length > 0) {
    await store.writeStream(UNJUDGED, jsonLines(unjudged));
    files[UNJUDGED] = countedText(unjudged.length, 'test');
  }
  return { files, notes: notes.lines() };
}

/** Replaces `{$ref: '#/a/b'}` by what stands there. */
function withReferences(value: unknown, root: unknown, depth = 0): unknown {
  if (depth > 50) return value;
  if (Array.isArray(value)) return value.map((one) => withReferences(one, root, depth + 1));
  if (!isMapping(value)) return value;
  if (typeof value.$ref === 'string' && value.$ref.startsWith('#/')) {
    const found = value.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, name) => (isMapping(inner) ? inner[name] : undefined), root);
    if (found !== undefined) return withReferences(found, root, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withReferences(inner, root, depth + 1)]),
  );
}

function askedPrompt(
  prompt: Prompt,
  number: number,
  tests: readonly Test[],
  notes: ImportNotes,
): Asked | null {
  const isPlain = tests.every(({ prefix, suffix }) => prefix === '' && suffix === '');
  const template = 'text' in prompt && isPlain ? promptTemplate(prompt.text, 'vars') : null;
  if (template !== null) {
    const dataset = { prompt_template: template.template };
    return { prompt, number, dataset, names: template.names, field: null };
  }
  if (tests.some((test) => filledPrompt(prompt, test) === null)) {
    notes.add(
      `Prompt ${number} is not carried over: its template uses what only promptfoo or the environment has`,
    );
    return null;
  }
  const field = `prompt_${number}`;
  return { prompt, number, dataset: { input_field: field }, names: [], field };
}

interface Row extends Pick<Test, 'id' | 'description' | 'vars' | 'assert' | 'metadata'> {
  threshold?: number | null;
  [RUBRIC_FIELD]?: string;
}

/** Rows that are judged in the same way, with the file that they are in. */
interface Part {
  rows: Row[];
  dataset: string;
  /** Of the names of its configs. */
  suffix: string;
  /** Line for the head of its configs. */
  says: string;
}

const isGraded = (row: Row) => row[RUBRIC_FIELD] !== undefined;

/** Parts rows by how they are judged, so that no answer is graded by an empty rubric; one part has no name. */
function partsOf(rows: readonly Row[]): Part[] {
  const part = (name: string, says: string, belongs: (row: Row) => boolean): Part => ({
    rows: rows.filter(belongs),
    dataset: `${name}.jsonl`,
    suffix: `-${name}`,
    says,
  });
  const says = '# No assertion decides here: the accuracy is 1, and the score rubric says what passes.\n';
  const parts = [
    { ...part('dataset', '', (row) => row.assert.length > 0 && !isGraded(row)), suffix: '' },
    part('rubric', '', (row) => row.assert.length > 0 && isGraded(row)),
    part('rubric-only', says, (row) => row.assert.length === 0 && isGraded(row)),
  ].filter((one) => one.rows.length > 0);
  return parts.length > 1 ? parts : parts.map((one) => ({ ...one, dataset: 'dataset.jsonl', suffix: '' }));
}

function rowOf(test: Test, asked: readonly Asked[], tests: readonly Test[]): Row {
  const { id, description, vars, assert, threshold, metadata } = test;
  const criterion = criterionOf(test);
  const names = asked.flatMap((one) => one.names.map((name) => name.split('.')[0] as string));
  const missing = Object.fromEntries(names.filter((name) => !(name in vars)).map((name) => [name, '']));
  const filled = asked.flatMap(({ prompt, field }) =>
    field === null ? [] : [[field, filledPrompt(prompt, test)]],
  );
  return {
    id,
    ...(description === undefined ? {} : { description }),
    ...Object.fromEntries(filled),
    vars: { ...vars, ...missing },
    assert,
    ...(criterion === undefined ? {} : { [RUBRIC_FIELD]: criterion }),
    ...(tests.some((one) => one.threshold !== undefined) ? { threshold: threshold ?? null } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function runConfig(
  { dataset }: Asked,
  { lm }: Model,
  { repeat, maxConcurrency }: Record<string, unknown>,
  { rows, dataset: path }: Part,
  judge: Record<string, unknown> | null,
): Record<string, unknown> {
  const hasThreshold = rows.some((row) => 'threshold' in row);
  const hasRubrics = rows.every(isGraded);
  return {
    dataset: {
      dataset_path: path,
      id_field: 'id',
      task_type: 'custom',
      env_class: 'AssertionsEnv',
      env_file: ENVIRONMENT,
      meta_fields: ['assert', ...(hasThreshold ? ['threshold'] : []), ...(hasRubrics ? [RUBRIC_FIELD] : [])],
      ...dataset,
    },
    agent: { type: 'prompt', file: AGENT },
    runtime: {
      memory_scope: 'sample',
      ...(typeof maxConcurrency === 'number' ? { concurrency: maxConcurrency } : {}),
      ...(typeof repeat === 'number' && repeat > 1 ? { epochs: repeat } : {}),
    },
    lm,
    ...(hasRubrics && judge !== null ? { models: { judge } } : {}),
    ...(hasRubrics ? { scorers: RUBRIC_SCORERS } : {}),
  };
}

function configName(parts: readonly string[]): string {
  const name = parts.filter((part) => part !== '').join('-');
  return name === '' ? 'experiment' : name.replace(/[^\w.-]+/g, '-').slice(0, 80);
}
