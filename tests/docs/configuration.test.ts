import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agentEvalConfigs } from '../../src/kinds/agent-eval/config.js';
import { evolveConfigs } from '../../src/kinds/evolve/config.js';
import { runConfigs } from '../../src/kinds/run/config.js';

/** The part of a JSON Schema node that matters here. */
interface Node {
  type?: string | string[];
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Node>;
  required?: string[];
  anyOf?: Node[];
  oneOf?: Node[];
}

interface Field {
  /** Undefined where there is none, or none that is a value. */
  default: unknown;
  allowed: string[];
}

/** Sections, which the document gives a heading or a row of introduction. */
const SECTIONS = new Set([
  'runtime',
  'dataset',
  'lm',
  'memory',
  'agent',
  'sandbox',
  'limits',
  'metrics',
  'output',
]);
const INNER_SECTIONS = new Set(['agent.reflection_config', 'memory.retrieval']);

function branches(node: Node): Node[] {
  return (node.anyOf ?? node.oneOf)?.flatMap(branches) ?? [node];
}

/** Every field of the schema by its dotted path; alternatives are laid over each other. */
function fieldsOf(root: Node): Map<string, Field> {
  const fields = new Map<string, Field>();
  const visit = (node: Node, path: string[]) => {
    for (const branch of branches(node)) {
      for (const [key, inner] of Object.entries(branch.properties ?? {})) {
        const name = [...path, key].join('.');
        const before = fields.get(name);
        const allowed = branches(inner).flatMap(
          (one) => one.enum ?? (one.const === undefined ? [] : [one.const]),
        );
        fields.set(name, {
          default: before?.default ?? inner.default,
          allowed: [...(before?.allowed ?? []), ...allowed.map(String)],
        });
        visit(inner, [...path, key]);
      }
    }
  };
  visit(root, []);
  return fields;
}

/** The rows `| `field` | type | default | meaning |` of the document. */
function rowsOf(markdown: string): Map<string, { type: string; default: string; meaning: string }> {
  const rows = new Map<string, { type: string; default: string; meaning: string }>();
  for (const line of markdown.split('\n')) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const name = /^`([\w.]+)`$/.exec(cells[1] ?? '')?.[1];
    if (name === undefined) continue;
    expect(rows.has(name), `${name} has one row`).toBe(false);
    rows.set(name, { type: cells[2] ?? '', default: cells[3] ?? '', meaning: cells[4] ?? '' });
  }
  return rows;
}

const [ofRuns = '', ofEvolutions = '', ofEvaluations = ''] = readFileSync(
  'docs/configuration.md',
  'utf8',
).split(/\n## (?:An evolution|An evaluation on task bundles)\n/);

function checkRow(rows: ReturnType<typeof rowsOf>, name: string, field: Field): void {
  const row = rows.get(name);
  expect(row, `docs/configuration.md has no row for ${name}`).toBeDefined();
  if (field.default !== undefined) expect(row?.default).toBe(`\`${JSON.stringify(field.default)}\``);
  for (const value of field.allowed) expect(row?.type).toContain(`\`${value}\``);
}

describe('docs/configuration.md', () => {
  const fields = fieldsOf(runConfigs.jsonSchema() as Node);
  const rows = rowsOf(ofRuns);
  // A model has the same fields in every role: those of `lm`.
  const documented = [...fields].filter(
    ([name]) => !SECTIONS.has(name) && !INNER_SECTIONS.has(name) && !/^models\b/.test(name),
  );

  test('the schema is read down to its inner fields', () => {
    expect(documented.length).toBeGreaterThan(50);
    expect(fields.has('agent.reflection_config.max_reflections')).toBe(true);
  });

  test.each(documented)('%s has a row with its default and its allowed values', (name, field) => {
    checkRow(rows, name, field);
  });

  test('names no field that the schema does not have', () => {
    expect([...rows.keys()].filter((name) => !fields.has(name))).toEqual([]);
  });
});

describe('docs/configuration.md, of an evolution', () => {
  const fields = fieldsOf(evolveConfigs.jsonSchema() as Node);
  const rows = rowsOf(ofEvolutions);
  /** Sections that are those of a run, and sections whose fields have the rows. */
  const isShared = (name: string) => /^(?:sandbox|limits)\b|^lm\b|^models(?:\.\w+\.|$)/.test(name);
  const sections = new Set(['domain', 'data', 'evolution', 'selection', 'scaffolder', 'executor', 'output']);
  const documented = [...fields].filter(([name]) => !isShared(name) && !sections.has(name));

  test('the schema is read down to its inner fields', () => {
    expect(documented.length).toBeGreaterThan(35);
    expect(fields.has('scaffolder.feedback.max_characters')).toBe(true);
  });

  test.each(documented)('%s has a row with its default and its allowed values', (name, field) => {
    checkRow(rows, name, field);
  });

  test('names no field that the schema does not have', () => {
    expect([...rows.keys()].filter((name) => !fields.has(name))).toEqual([]);
  });
});

describe('docs/configuration.md, of an evaluation on task bundles', () => {
  const fields = fieldsOf(agentEvalConfigs.jsonSchema() as Node);
  const rows = rowsOf(ofEvaluations);
  /** Sections that are those of a run, and sections whose fields have the rows. */
  const isShared = (name: string) => /^limits\b|^lm\b|^models(?:\.\w+\.|$)/.test(name);
  const documented = [...fields].filter(
    ([name]) => !isShared(name) && !['agent', 'user', 'metrics', 'output'].includes(name),
  );

  test('the schema is read down to its inner fields', () => {
    expect(documented.length).toBeGreaterThan(15);
    expect(fields.has('user.stop_token')).toBe(true);
  });

  test.each(documented)('%s has a row with its default and its allowed values', (name, field) => {
    checkRow(rows, name, field);
  });

  test('names no field that the schema does not have', () => {
    expect([...rows.keys()].filter((name) => !fields.has(name))).toEqual([]);
  });
});
