import type { LineageNode } from '../../src/kinds/evolve/evolution/lineage.js';
import type { ScaffoldFiles } from '../../src/kinds/evolve/evolution/types.js';
import { evolutionReport } from '../../src/kinds/evolve/report.js';
import type { EvolveMetrics } from '../../src/kinds/evolve/results.js';
import { type Report, reportHtml } from '../../src/reports/report.js';

/** A scaffold with one validation; give what matters. */
export function node(id: string, fields: Partial<LineageNode> = {}): LineageNode {
  const end = id.lastIndexOf('-');
  const iteration = id.split('-').length - 1;
  return {
    id,
    parent_scaffold_id: end < 0 ? null : id.slice(0, end),
    iteration,
    status: 'validated',
    train: [],
    valid: [{ iteration: iteration + 1, score: 0.5 }],
    ...fields,
  };
}

export function evolveMetrics(fields: Partial<EvolveMetrics> = {}): EvolveMetrics {
  return {
    name: 'evolution',
    experiment: 'evolution_20260131_235959',
    kind: 'evolve',
    status: 'done',
    status_message: null,
    scaffolder_model: 'gemini/pro',
    executor_model: 'gemini/flash',
    simulated: false,
    domain: 'game24',
    selection: 'top_k',
    seed: 42,
    num_iterations: 2,
    iterations: 3,
    best: {
      id: '0-0',
      iteration: 2,
      score: 0.8333333333333334,
      path: 'iterations/1/scaffolds/new/0-0/scaffold.py',
      test_score: 0.7142857142857143,
    },
    best_by_iteration: [null, 0.5, 0.8333333333333334],
    errors: 0,
    errors_by_type: {},
    scaffolds: 4,
    scaffolds_failed: 1,
    scaffolds_unscored: 0,
    scaffolds_duplicate: 1,
    executions: 1243,
    executions_failed: 31,
    cut_off: 0,
    lm_calls: 2210,
    lm_calls_repeated: 3,
    usage: { input_tokens: 3120455, output_tokens: 412877 },
    cost_usd: 4.113278,
    wall_seconds: 1834.217,
    started_at: '2026-01-31T23:59:59.120Z',
    ended_at: '2026-02-01T00:30:33.337Z',
    ...fields,
  };
}

/** What {@link evolutionReport} makes of scaffolds with files. */
export async function evolutionPage(
  nodes: readonly LineageNode[],
  files: Readonly<Record<string, ScaffoldFiles>> = {},
  metrics: EvolveMetrics = evolveMetrics(),
): Promise<string> {
  return whole(evolutionReport({ metrics, nodes, files: async (id) => files[id] ?? null }));
}

/** The page of a report, in one piece. */
export async function whole(report: Report): Promise<string> {
  let page = '';
  for await (const piece of reportHtml(report)) page += piece;
  return page;
}

export interface Tag {
  name: string;
  attributes: Record<string, string>;
}

/** A page as a browser reads it: tags with their attributes, and the text of each element. */
export interface ParsedPage {
  tags: Tag[];
  /** Texts with what they stand in, such as `pre` in `ins`: `['ins', 'pre']` at the end of `path`. */
  texts: { path: string[]; text: string }[];
}

const VOID = new Set(['meta', 'link']);
const TAG = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z][\w-]*(?:="[^"]*")?)*)\s*(\/?)>/;

/**
 * Reads a page as strictly as XML: every tag is closed in its order, attributes are in double quotes, nothing but a tag
 * begins with `<`. Scripts and styles end at their end tag, as in a browser.
 * @throws where a page is not like that, which a text that was not escaped would make it.
 */
export function parsePage(page: string): ParsedPage {
  const doctype = '<!doctype html>';
  if (!page.startsWith(doctype)) throw new Error('there is no doctype');
  return parseMarkup(page.slice(doctype.length));
}

/** A section of a page, by its anchor. */
export function parseSection(page: string, anchor: string): ParsedPage {
  const start = page.indexOf(`<section id="${anchor}"`);
  const end = '</section>';
  return parseMarkup(page.slice(start, page.indexOf(`\n${end}`, start) + 1 + end.length));
}

function parseMarkup(markup: string): ParsedPage {
  const [tags, texts, open]: [Tag[], ParsedPage['texts'], string[]] = [[], [], []];
  let rest = markup;
  while (rest !== '') {
    const raw = open.at(-1);
    const end = raw === 'script' || raw === 'style' ? rest.indexOf(`</${raw}`) : rest.indexOf('<');
    const text = rest.slice(0, end < 0 ? rest.length : end);
    if (text !== '') texts.push({ path: [...open], text: unescaped(text) });
    rest = rest.slice(text.length);
    if (rest === '') break;
    const match = TAG.exec(rest);
    if (match === null) throw new Error(`not a tag: ${rest.slice(0, 80)}`);
    const [whole, slash, name, attributes, closed] = match as unknown as [
      string,
      string,
      string,
      string,
      string,
    ];
    rest = rest.slice(whole.length);
    if (slash === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing: ${rest.slice(0, 80)}`);
      continue;
    }
    tags.push({ name, attributes: attributesOf(attributes) });
    if (closed !== '/' && !VOID.has(name)) open.push(name);
    // The first line break of a preformatted text is not part of it.
    if (name === 'pre' && rest.startsWith('\n')) rest = rest.slice(1);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(', ')}`);
  return { tags, texts };
}

function attributesOf(text: string): Record<string, string> {
  const found = text.matchAll(/\s+([a-zA-Z][\w-]*)(?:="([^"]*)")?/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name as string, unescaped(value ?? '')]));
}

function unescaped(text: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replaceAll(/&([#\w]+);/g, (entity, name: string) => characters[name] ?? entity);
}

/** All text of a page that people see, in one piece. */
export function visibleText(page: string): string {
  return parsePage(page)
    .texts.filter(({ path }) => !path.includes('script') && !path.includes('style'))
    .map(({ text }) => text)
    .join('');
}
