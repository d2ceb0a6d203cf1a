import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { isMapping } from '../contracts/json.js';
import { templateNames } from '../contracts/template.js';
import { describeIssues } from './describe-issues.js';
import { InvalidInputError } from './errors.js';
import type { SchemaNode } from './json-schema.js';
import { CONFIG_ENDINGS, checkFile, permissions, quotable } from './named-files.js';
import { asTexts, asValues, parseYaml, YamlError } from './yaml-text.js';

/** Pattern of top-level fields for the author's own use, such as anchors, as in Docker Compose. */
const OWN_FIELD = /^x-/;

/**
 * Returns a copy of a config's mapping, without its author's own fields.
 * @param sections named in the message about other input
 */
export function asMapping(value: unknown, source: string, sections: string): Record<string, unknown> {
  if (isMapping(value)) {
    return structuredClone(
      Object.fromEntries(Object.entries(value).filter(([name]) => !OWN_FIELD.test(name))),
    );
  }
  const found =
    value === null || value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new InvalidInputError(
    `${source}: a config is a mapping with the sections ${sections}; this holds ${found}`,
  );
}

/** Name of a workflow's input in messages. Its sender may read all of it there. */
export const THE_INPUT = 'the input';

/**
 * Reads a YAML file.
 * @param field field that names the file
 * @throws InvalidInputError if the file is missing, is not YAML, or may not be named.
 */
export function readYaml(path: string, field = 'config_path'): unknown {
  checkFile(field, path, 'read', CONFIG_ENDINGS);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'this is a folder' : String(error);
    throw new InvalidInputError(`config ${path}: ${reason}`);
  }
  try {
    return configOf(parseYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new InvalidInputError(`${path} is not valid YAML: ${quotable(error.message, error.quiet)}`);
  }
}

/**
 * Returns the rows of a parsed `dataset` section. Questions, targets, ids and choices are texts, so `1.10` is "1.10";
 * fields that are only passed to an environment by `meta_fields` stay numbers.
 */
function itemsAsWritten(section: Record<string, unknown>): unknown {
  const { items, meta_fields } = section;
  if (!Array.isArray(items)) return asValues(items);
  const calculated = namesIn(meta_fields).filter((name) => !isShown(name, section));
  return items.map((item) => {
    if (!isMapping(item)) return asTexts(item);
    return Object.fromEntries(
      Object.entries(item).map(([name, value]) => [
        name,
        calculated.includes(name) ? asValues(value) : asTexts(value),
      ]),
    );
  });
}

/** Returns the field names in paths; for `metadata.ID` also `metadata`. */
function namesIn(paths: unknown): string[] {
  const texts = (Array.isArray(paths) ? paths : [paths]).filter((path) => typeof path === 'string');
  return texts.flatMap((path) => [path, path.split('.', 1)[0] ?? '']);
}

/** Reports whether a field of a row is shown, is compared or is the id. */
function isShown(name: string, section: Record<string, unknown>): boolean {
  const { input_field = 'question', target_field = 'answer', choices_field, id_field } = section;
  const fields = [input_field, target_field, id_field, choices_field].flat();
  const { prompt_template, system, few_shot } = section;
  const answers = isMapping(few_shot) ? few_shot.answer_template : undefined;
  const placeholders = [prompt_template, system, answers].flatMap(placeholdersOf);
  return namesIn([...fields, ...placeholders]).includes(name);
}

/** Returns the placeholders of a template; none of one that is refused later. */
function placeholdersOf(template: unknown): string[] {
  try {
    return typeof template === 'string' ? templateNames(template) : [];
  } catch {
    return [];
  }
}

/** Returns a config as its schema expects it: numbers are numbers everywhere except in the rows of
 * `dataset.items` and `dataset.few_shot.items`, and the ids of `dataset.select`. */
function configOf(parsed: unknown): unknown {
  const config = asValues(parsed);
  const section = isMapping(parsed) ? parsed.dataset : undefined;
  if (isMapping(config) && isMapping(config.dataset) && isMapping(section)) {
    config.dataset.items = itemsAsWritten(section);
    if (isMapping(config.dataset.few_shot) && isMapping(section.few_shot)) {
      config.dataset.few_shot.items = itemsAsWritten({ ...section, items: section.few_shot.items });
    }
    if (isMapping(config.dataset.select) && isMapping(section.select)) {
      config.dataset.select.ids = asTexts(section.select.ids);
    }
  }
  return config;
}

/**
 * Returns an error with a line for each problem that a schema finds.
 * @param hint suffix for the line of a missing field
 */
export function invalidConfig(
  error: z.ZodError,
  raw: unknown,
  source: string,
  schema: SchemaNode,
  hint: (field: string) => string,
): InvalidInputError {
  const isQuiet = permissions() !== null && source !== THE_INPUT;
  const problems = describeIssues(error, raw, schema, isQuiet);
  const lines = problems.map(({ field, message }) => {
    const said = message.startsWith('is missing') ? message + hint(field) : message;
    return field === '' ? said : `${field}: ${said}`;
  });
  const text =
    lines.length === 1
      ? `${source}: ${lines[0]}`
      : `${source}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new InvalidInputError(text, problems[0]?.field);
}
