import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { findChromium, launched, mustSkipChromium } from '../reports/chromium.js';
import { HOSTILE } from '../reports/hostile.js';
import { evolveMetrics, node } from '../reports/support.js';
import { resultsFolder, writeExperiment } from '../support/compared-experiments.js';
import { LEAST } from '../support/kinds.js';
import { call, row, taskRow } from '../support/rows.js';
import { METRICS } from './every-kind.js';
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
  for (const kind of KINDS_OF_THEIR_OWN) {
    const of = openStore(folder).within(`a-${kind}`);
    await writeStoredConfig(of, LEAST[kind] as object);
    await of.write('metrics.json', JSON.stringify(METRICS[kind]));
    for (const [key, rows] of Object.entries(ROWS[kind] ?? {})) await of.write(key, jsonl(rows));
  }
  return folder;
}

const KINDS_OF_THEIR_OWN = ['agent-eval', 'judge', 'own-kind', 'sweep'];

/** Rows of the other kinds, by file. */
const ROWS: Record<string, Record<string, object[]>> = {
  'agent-eval': {
    'results.jsonl': [
      {
        task_id: 'r',
        trial: 0,
        status: 'done',
        reward: 0.5,
        reason: 'half',
        metrics: { goal: { score: 1, reason: 'reached' } },
        metadata: { customer: 'C1' },
        error: null,
        lm_calls: 2,
      },
    ],
    'calls.jsonl': [
      call({ sample_id: 'r', purpose: 'agent' }),
      call({ sample_id: 'r', purpose: 'user', at: '2025-01-01T00:00:09.000Z' }),
    ],
  },
  judge: {
    'trajectories.jsonl': [
      {
        episode_id: 'r/0',
        judge_response: { rationale: 'well done', success: true },
        timesteps: [{ chats: [], judge_response: { polite: { score: 1, reason: 'please' } } }],
      },
    ],
  },
  'own-kind': {
    'results.jsonl': [
      {
        id: 'mine',
        question: 'q',
        target: 't',
        answer: 'a',
        scores: { correct: true },
        error: null,
        lm_calls: 1,
      },
    ],
  },
  sweep: { 'results.jsonl': (METRICS.sweep as { cells: object[] }).cells },
};

const PAGES = {
  list: '',
  run: 'experiment?id=one',
  evolution: 'experiment?id=evolution',
  sample: 'unit?id=one&unit=a&trial=0',
  scaffold: 'unit?id=evolution&unit=0-0&trial=0',
  comparison: 'compare?id=one&id=two',
  'list without any': '?find=zzz',
  'samples without any': 'experiment?id=one&find=zzz',
  message: 'experiment?id=none',
  ...Object.fromEntries(KINDS_OF_THEIR_OWN.map((kind) => [kind, `experiment?id=a-${kind}`])),
  rollout: 'unit?id=a-agent-eval&unit=r&trial=0',
  trajectory: 'unit?id=a-judge&unit=r%2F0&trial=0',
  'own sample': 'unit?id=a-own-kind&unit=mine&trial=0',
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
      browser = await launched(found as string);
    });
    afterAll(() => browser?.close());

    test.each([
      [1280, 'light'],
      [390, 'dark'],
    ] as const)(
      'at %i pixels, %s, is accessible, fits, and runs nothing of a model’s text',
      async (width, colorScheme) => {
        const url = await viewerOf(await folderOfAll(), { write: true });
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
        const page = await context.newPage();
        let said: string[] = [];
        page.on('console', (message) => said.push(message.text()));
        page.on('pageerror', (error) => said.push(error.message));
        for (const [name, path] of Object.entries(PAGES)) {
          said = [];
          await page.goto(`${url}${path}`);
          // A browser says itself that a page is not there.
          if (name !== 'message') expect([name, said]).toEqual([name, []]);
          expect([name, await page.getAttribute('html', 'data-taken')]).toEqual([name, null]);
          expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width]);
          // Nothing of the list is beyond the edge, on a phone either.
          if (name === 'list')
            expect(
              await page.$$eval(
                '.experiments td, .experiments th',
                (cells, edge) => cells.filter((cell) => cell.getBoundingClientRect().right > edge).length,
                width,
              ),
            ).toBe(0);
          if (name === 'run' && width === 1280)
            expect(await page.$eval('.rows', (table) => table.scrollWidth)).toBeLessThan(width);
          if (!name.startsWith('hostile')) {
            await page.evaluate(AXE);
            const { violations } = (await page.evaluate('axe.run()')) as {
              violations: { id: string; nodes: { html: string }[] }[];
            };
            expect([name, violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([name, []]);
          }
        }
        await context.close();
      },
    );
  },
);
