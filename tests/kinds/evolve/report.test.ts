import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LineageNode } from '../../../src/kinds/evolve/evolution/lineage.js';
import type { ScaffoldFiles } from '../../../src/kinds/evolve/evolution/types.js';
import { evolutionReport } from '../../../src/kinds/evolve/report.js';
import { reportHtml } from '../../../src/reports/report.js';
import {
  evolutionPage,
  evolveMetrics,
  node,
  parsePage,
  parseSection,
  visibleText,
  whole,
} from '../../reports/support.js';

const main = (...lines: string[]): ScaffoldFiles => ({ 'scaffold.py': `${lines.join('\n')}\n` });

/** Four scaffolds: one from scratch, one evolved from it, a duplicate, a failure. */
const NODES: LineageNode[] = [
  node('0', { train: [{ iteration: 1, example_id: 'puzzle-7', score: 0 }] }),
  node('0-0', { valid: [{ iteration: 2, score: 0.8333333333333334 }] }),
  node('0-1', { status: 'duplicate', duplicate_of: '0-0', valid: [] }),
  node('0-2', { status: 'failed', error: 'line 3 does not compile', valid: [] }),
];
const FILES: Record<string, ScaffoldFiles> = {
  '0': main('def process_input(text):', '    return text'),
  '0-0': { ...main('def process_input(text):', '    return text.strip()'), 'prompts/solve.txt': 'Think.\n' },
};

/** A page without the marks of a language's words. */
const unmarked = (page: string) => page.replaceAll(/<span class="hljs[^>]*>([^<]*)<\/span>/g, '$1');

function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  const inner = Object.values(value);
  return inner.length === 0 ? ['{}'] : inner.flatMap(leaves);
}

describe('the figures of a report', () => {
  test('are those of metrics.json, each with all of its digits', async () => {
    const metrics = evolveMetrics();
    const { texts } = parsePage(await evolutionPage(NODES, FILES, metrics));
    const table = texts.filter(({ path }) => path.slice(-2).join(' ') === 'td code').map(({ text }) => text);
    expect(table).toEqual(leaves(metrics));
  });

  test('are written shorter at the top, with the exact one beside it', async () => {
    const { tags, texts } = parsePage(await evolutionPage(NODES, FILES));
    const values = tags.filter(({ name }) => name === 'data').map(({ attributes }) => attributes.value);
    const known = leaves(evolveMetrics());
    expect(values.slice(0, 13).filter((value) => !known.includes(value ?? ''))).toEqual([]);
    const large = texts
      .filter(({ path }) => path.at(-1) === 'data' && path.at(-2) === 'dd')
      .map(({ text }) => text);
    expect(large.slice(0, 8)).toEqual([
      '3',
      '0.8333',
      '0.7143',
      '4',
      '1\u202f243',
      '0',
      '2\u202f210',
      '3\u202f120\u202f455',
    ]);
  });

  test('call what comes after the last iteration the closing validation, and an unfinished one so', async () => {
    const nodes = [node('0', { valid: [{ iteration: 2, score: 0.5 }] })];
    const best = { id: '0', iteration: 2, score: 0.5, path: 'p', test_score: null };
    const figures = { best, iterations: 2, num_iterations: 1, best_by_iteration: [null, null] };
    const closed = visibleText(
      await evolutionPage(nodes, FILES, evolveMetrics({ ...figures, status: 'done' })),
    );
    expect(closed).toContain('0.5 in the closing validation');
    expect(closed).toMatch(/\bclosing\s*0\.5/);
    expect(closed).not.toContain('iteration 2');
    const stopped = visibleText(
      await evolutionPage(nodes, FILES, evolveMetrics({ ...figures, status: 'stopped' })),
    );
    expect(stopped).toContain('0.5 in iteration 2, which was not finished');
  });

  test('say so where a price is not known, where models are simulated, and where the end was not reached', async () => {
    const text = visibleText(
      await evolutionPage(
        NODES,
        FILES,
        evolveMetrics({
          cost_usd: null,
          simulated: true,
          status: 'limit_reached',
          status_message: '$5 are spent.',
        }),
      ),
    );
    expect(text).toContain('unknown');
    expect(text).toContain('Simulated model.');
    expect(text).toContain('A limit was reached. $5 are spent.');
    const change = { at: '2026-02-01T00:10:00.000Z', iterations: 2, modules: ['own/score.ts'] };
    const changed = await evolutionPage(NODES, FILES, evolveMetrics({ code_changes: [change] }));
    expect(visibleText(changed)).toContain('own/score.ts changed after 2 of the iterations');
    const finished = visibleText(await evolutionPage(NODES, FILES));
    expect(finished).not.toContain('More than one version');
    expect(finished).not.toContain('Simulated model.');
    expect(finished).not.toContain('A limit was reached.');
  });

  test('of an experiment that was stopped at once are a page as well', async () => {
    const metrics = evolveMetrics({ best: null, best_by_iteration: [], scaffolds: 0, status: 'stopped' });
    const text = visibleText(await evolutionPage([], {}, metrics));
    expect(text).toContain('nothing was validated');
    expect(text).toContain('There are no scaffolds.');
  });
});

describe('the drawings of a report', () => {
  test('show every validation as a dot at its height, and the best of each iteration as a line', async () => {
    const nodes = [
      node('0', {
        valid: [
          { iteration: 1, score: 0 },
          { iteration: 2, score: 1 },
        ],
      }),
      node('1', { valid: [{ iteration: 1, score: 0.5 }] }),
    ];
    const page = await evolutionPage(nodes, {}, evolveMetrics({ best_by_iteration: [null, 0.5, null, 1] }));
    const { tags } = parseSection(page, 'scores');
    const dots = tags.filter(({ name }) => name === 'circle');
    const [bottom, top] = [246, 24];
    expect(dots.map(({ attributes: { cy } }) => Number(cy))).toEqual([bottom, top, (bottom + top) / 2]);
    expect(new Set(dots.map(({ attributes: { fill } }) => fill)).size).toBe(3);
    const line = tags.filter(({ name }) => name === 'path').map((tag) => tag.attributes.d ?? '');
    expect(line.some((d) => new RegExp(`,${(bottom + top) / 2}L[\\d.]+,${top}$`).test(d))).toBe(true);
  });

  test('mark in the tree, besides by colour, what failed, what is a duplicate, and what is best', async () => {
    const { texts } = parseSection(await evolutionPage(NODES, FILES), 'lineage');
    const said = texts.filter(({ path }) => path.at(-1) === 'text').map(({ text }) => text);
    expect(said).toEqual(['0  0.5000', '0-0  0.8333  ★ best', '0-1  same as 0-0', '0-2  failed']);
  });

  test('draw a line from each scaffold to its parent, and the way to the best apart', async () => {
    const { tags } = parseSection(await evolutionPage(NODES, FILES), 'lineage');
    const strokes = tags.filter(({ attributes }) => /^M[^MLZ]*L[^MLZ]*L[^MLZ]*$/.test(attributes.d ?? ''));
    expect(strokes).toHaveLength(3);
    const ahead = tags.filter(({ attributes }) => attributes['stroke-width'] === '2.5');
    expect(ahead.map(({ attributes: { stroke } }) => stroke)).toEqual(['var(--accent)']);
  });

  test('list each scaffold in the table with parent, iteration, standing and newest scores', async () => {
    const page = await evolutionPage(NODES, FILES);
    const table = page.slice(page.indexOf('<table data-sortable>'));
    const rows = table.slice(table.indexOf('<tbody>'), table.indexOf('</tbody>')).split('</tr>').slice(0, -1);
    const cells = rows.map((row) =>
      row
        .split(/<\/t[hd]>/)
        .map((cell) => cell.replaceAll(/<[^>]*>/g, '').trim())
        .slice(0, -1),
    );
    expect(cells).toEqual([
      ['0', '–', '0', 'validated', '0.0000', '0.5000'],
      ['0-0 ★ best', '0', '1', 'validated', '–', '0.8333'],
      ['0-1', '0', '1', 'duplicate of 0-0', '–', '–'],
      ['0-2', '0', '1', 'failed', '–', '–'],
    ]);
  });
});

describe('the code in a report', () => {
  test('stands beside the parent’s: what went, what came, and a file that is new', async () => {
    const { texts } = parsePage(await evolutionPage(NODES, FILES));
    const code = (mark: string) =>
      texts.filter(({ path }) => path.at(-1) === 'pre' && path.at(-2) === mark).map(({ text }) => text);
    const marked = texts
      .filter(({ path }) => path.slice(-3).join(' ') === 'ins pre b')
      .map(({ text }) => text);
    expect(code('del').join('')).toBe('    return text\n');
    expect(code('ins').join('')).toBe('    return text\nThink.\n');
    expect(marked).toEqual(['.strip()']);
  });

  test('says why there is none', async () => {
    const text = visibleText(await evolutionPage(NODES, FILES));
    expect(text).toContain('line 3 does not compile');
    expect(text).toContain('There is no program.');
    expect(text).toContain('Its code is not in the experiment.');
  });

  test('begins on the line where it begins, also with an empty one', async () => {
    const { texts } = parsePage(unmarked(await evolutionPage([node('0')], { '0': main('', '', 'x = 1') })));
    const [numbers, code] = texts.filter(({ path }) => path.at(-1) === 'pre').map(({ text }) => text);
    expect(numbers?.split('\n').map((line) => line.trim())).toEqual(['1', '2', '3']);
    expect(code).toBe('\n\nx = 1\n');
  });

  test('is there in full once what did not change is unfolded', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line_${index} = ${index}`);
    const changed = lines.with(30, 'line_30 = None');
    const nodes = [node('0'), node('0-0')];
    const page = unmarked(await evolutionPage(nodes, { '0': main(...lines), '0-0': main(...changed) }));
    const child = page.slice(page.indexOf('id="scaffold-0-0"'));
    expect(child).toContain('27 unchanged lines, 1 to 27');
    expect(child).toContain('26 unchanged lines, 35 to 60');
    for (const line of changed.filter((_, index) => index !== 30))
      expect(child.split(`${line}\n`)).toHaveLength(2);
  });

  test('links to the files beside the page', async () => {
    const { tags } = parsePage(await evolutionPage(NODES, FILES));
    const addresses = tags.flatMap(({ attributes: { href } }) => (href?.startsWith('./') ? [href] : []));
    expect(new Set(addresses)).toEqual(
      new Set([
        './iterations/0/scaffolds/new/0/scaffold.py',
        './iterations/1/scaffolds/new/0-0/scaffold.py',
        './iterations/1/scaffolds/new/0-0/prompts/solve.txt',
      ]),
    );
  });

  test('is asked for once a scaffold, one at a time, and never for a failed one', async () => {
    const asked: string[] = [];
    let open = 0;
    const files = async (id: string) => {
      asked.push(id);
      open += 1;
      await Promise.resolve();
      expect(open).toBe(1);
      open -= 1;
      return FILES[id] ?? null;
    };
    const pieces = reportHtml(evolutionReport({ metrics: evolveMetrics(), nodes: NODES, files }));
    for await (const piece of pieces) if (piece.includes('id="code"')) break;
    expect(asked).toEqual([]);
    await whole(evolutionReport({ metrics: evolveMetrics(), nodes: NODES, files }));
    expect(asked).toEqual(['0', '0-0', '0-1']);
  });

  test('that cannot be read fails the report', async () => {
    const files = () => Promise.reject(new Error('the store is unreachable'));
    await expect(whole(evolutionReport({ metrics: evolveMetrics(), nodes: NODES, files }))).rejects.toThrow(
      'the store is unreachable',
    );
  });

  test('is cut where the page would grow without end, but not on the way to the best', async () => {
    const nodes = Array.from({ length: 40 }, (_, index) => node(String(index)));
    const files = Object.fromEntries(
      nodes.map(({ id }) => [
        id,
        main(...Array.from({ length: 20_000 }, (_, line) => `x_${id}_${line} = ${line}`)),
      ]),
    );
    const best = {
      id: '39',
      iteration: 1,
      score: 0.5,
      path: 'iterations/0/scaffolds/new/39/scaffold.py',
      test_score: null,
    };
    const page = unmarked(await evolutionPage(nodes, files, evolveMetrics({ best })));
    expect(page.length).toBeLessThan(14_000_000);
    expect(page).toContain('Cut here, for the page would be too long: 20000 lines in all.');
    expect(page).toContain('x_38_39 = 39\n');
    expect(page).not.toContain('x_38_19999 = 19999\n');
    expect(page).toContain('x_39_19999 = 19999\n');
  });
});

describe('the page of a report', () => {
  test('is whole: every link leads somewhere, every id is there once, every level of heading in its order', async () => {
    const { tags, texts } = parsePage(await evolutionPage(NODES, FILES));
    const ids = tags.flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { attributes } of tags) {
      if (attributes.href?.startsWith('#')) expect(ids).toContain(attributes.href.slice(1));
      if (attributes['aria-labelledby'] !== undefined) expect(ids).toContain(attributes['aria-labelledby']);
    }
    expect(texts.filter(({ path }) => path.includes('summary') && path.includes('a'))).toEqual([]);
    const levels = tags.flatMap(({ name }) => (/^h\d$/.test(name) ? [Number(name[1])] : []));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, index) => index === 0 || level <= (levels[index - 1] as number) + 1)).toBe(
      true,
    );
  });

  test('loads nothing, and its policy admits its own style and script only', async () => {
    const page = await evolutionPage(NODES, FILES);
    const { tags, texts } = parsePage(page);
    expect(tags.filter(({ attributes }) => 'src' in attributes || 'style' in attributes)).toEqual([]);
    expect(tags.filter(({ name }) => name === 'link')).toEqual([]);
    const policy = tags.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    const hashOf = (element: string) => {
      const source = texts.find(({ path }) => path.at(-1) === element)?.text as string;
      return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
    };
    expect(policy?.attributes.content?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src ${hashOf('style')}`,
      `script-src ${hashOf('script')}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  test('is the same for the same experiment, in whatever order its scaffolds are listed', async () => {
    expect(await evolutionPage([...NODES].reverse(), FILES)).toBe(await evolutionPage(NODES, FILES));
  });
});
