import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { findChromium, mustSkipChromium } from '../reports/chromium.js';
import { HOSTILE } from '../reports/hostile.js';
import { evolveMetrics, node } from '../reports/support.js';
import { resultsFolder, writeExperiment } from '../support/compared-experiments.js';
import { LEAST } from '../support/kinds.js';
import { call, row, taskRow } from '../support/rows.js';
import { viewerOf } from './support.js';

const found = await findChromium();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const jsonl = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** A run with tool calls, programs and hostile texts, another one, and an evolution. */
async function folderOfAll(): Promise<string> {
  const folder = resultsFolder();
  const rows = (verdict: string) =>
    ['a', ...HOSTILE].map((id) => ({ ...taskRow(row(id, 0, verdict)), question: id }));
  const calls = ['a', ...HOSTILE].map((id) =>
    call({
      sample_id: id,
      text: `${id}\n\`\`\`python\nx = "${id}"\n\`\`\``,
      reasoning: id,
      tool_calls: [{ id: 'c', name: 'find', arguments: '{"id": 1}' }],
    }),
  );
  const executions = [
    { sample_id: 'a', trial: 0, ordinal: 0, code: 'print(1)', status: 'ok', stdout: '1\n', stderr: '' },
  ];
  const files = { 'calls.jsonl': jsonl(calls), 'executions.jsonl': jsonl(executions) };
  await writeExperiment(folder, 'one', { rows: rows('yes'), files });
  await writeExperiment(folder, 'two', { rows: rows('no') });
  const store = openStore(folder).within('evolution');
  await writeStoredConfig(store, LEAST.evolve as object);
  await store.write('metrics.json', JSON.stringify(evolveMetrics()));
  const nodes = [node('0'), node('0-0', { valid: [{ iteration: 2, score: 0.8333333333333334 }] })];
  await store.write(
    'lineage.json',
    JSON.stringify({ schema_version: 1, selection: 'top_k', best: null, nodes }),
  );
  await store.write(
    'iterations/0/scaffolds/new/0/scaffold.py',
    'def process_input(text):\n    return text\n',
  );
  await store.write(
    'iterations/1/scaffolds/new/0-0/scaffold.py',
    'def process_input(text):\n    return text.strip()\n',
  );
  return folder;
}

const PAGES = {
  list: '',
  run: 'experiment?id=one',
  evolution: 'experiment?id=evolution',
  sample: 'unit?id=one&unit=a&trial=0',
  scaffold: 'unit?id=evolution&unit=0-0&trial=0',
  comparison: 'compare?id=one&id=two',
  ...Object.fromEntries(
    HOSTILE.map((text, index) => [
      `hostile ${index}`,
      `unit?${new URLSearchParams({ id: 'one', unit: text, trial: '0' })}`,
    ]),
  ),
};

// A browser takes its time to start on a busy machine.
describe.skipIf(mustSkipChromium(found))(
  'in a browser, every page of the viewer',
  { timeout: 300_000 },
  () => {
    let browser: Browser;
    beforeAll(async () => {
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      const executablePath = execFileSync('sh', ['-c', 'command -v "$0"', found as string], {
        encoding: 'utf8',
      }).trim();
      browser = await chromium.launch({ executablePath, args });
    });
    afterAll(() => browser?.close());

    test.each([1280, 390])(
      'at %i pixels is accessible, fits, and runs nothing of a model’s text',
      async (width) => {
        const url = await viewerOf(await folderOfAll(), { write: true });
        const context = await browser.newContext({ viewport: { width, height: 900 } });
        for (const [name, path] of Object.entries(PAGES)) {
          const page = await context.newPage();
          const said: string[] = [];
          page.on('console', (message) => said.push(message.text()));
          page.on('pageerror', (error) => said.push(error.message));
          await page.goto(`${url}${path}`);
          expect([name, said]).toEqual([name, []]);
          expect([name, await page.getAttribute('html', 'data-taken')]).toEqual([name, null]);
          expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width]);
          if (!name.startsWith('hostile')) {
            await page.evaluate(AXE);
            const { violations } = (await page.evaluate('axe.run()')) as {
              violations: { id: string; nodes: { html: string }[] }[];
            };
            expect([name, violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([name, []]);
          }
          await page.close();
        }
        await context.close();
      },
    );
  },
);
