import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/storage/open.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { findChromium, launched, mustSkipChromium } from '../reports/chromium.js';
import { evolveMetrics, node, visibleText } from '../reports/support.js';
import { resultsFolder, writeExperiment } from '../support/compared-experiments.js';
import { LEAST } from '../support/kinds.js';
import { call, row, taskRow } from '../support/rows.js';
import { viewerOf } from './support.js';

const found = await findChromium();
const jsonl = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** A run whose sample 17 is wrong, and another that lost more. */
async function writeRuns(folder: string): Promise<void> {
  const rows = (lost: number[]) =>
    Array.from({ length: 30 }, (_, index) => ({
      ...taskRow(row(String(index), 0, lost.includes(index) ? 'no' : 'yes')),
      feedback: { correct: !lost.includes(index), target: '4', message: 'five is not four' },
    }));
  await writeExperiment(folder, 'old', { rows: rows([17]), metrics: { started_at: '2026-01-01T00:00:00Z' } });
  await writeExperiment(folder, 'new', {
    rows: rows([17, 3, 21]),
    metrics: { started_at: '2026-01-02T00:00:00Z' },
  });
}

/** A rollout whose agent books twice. */
async function writeRollout(folder: string): Promise<void> {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const book = (id: string) => [{ id, name: 'create_booking', arguments: '{"flight":"HA1"}' }];
  const said = { role: 'user' as const, content: 'Book me a flight.' };
  const calls = [
    call({
      sample_id: 'r',
      purpose: 'agent',
      text: '',
      tool_calls: book('one'),
      messages: [said],
      at: at(0),
    }),
    call({
      sample_id: 'r',
      purpose: 'agent',
      ordinal: 1,
      text: 'It is booked.',
      messages: [said],
      at: at(1),
    }),
    call({
      sample_id: 'r',
      purpose: 'user',
      text: 'Did it go through? I see nothing.',
      messages: [],
      at: at(2),
    }),
    call({
      sample_id: 'r',
      purpose: 'agent',
      ordinal: 2,
      text: '',
      tool_calls: book('two'),
      messages: [said, { role: 'user', content: 'Did it go through? I see nothing.' }],
      at: at(3),
    }),
  ];
  const rollout = {
    task_id: 'r',
    trial: 0,
    status: 'done',
    reward: 0,
    reason: 'two new bookings in place of one',
    metrics: {},
    metadata: {},
    error: null,
  };
  await writeExperiment(folder, 'flights', {
    kind: 'agent-eval',
    rows: [rollout],
    files: { 'calls.jsonl': jsonl(calls) },
  });
}

async function writeEvolution(folder: string): Promise<void> {
  const store = openStore(folder).within('evolution');
  await writeStoredConfig(store, LEAST.evolve as object);
  await store.write('metrics.json', JSON.stringify(evolveMetrics()));
  const nodes = [
    node('2'),
    node('2-0', { valid: [{ iteration: 2, score: 0.25 }] }),
    node('2-0-1', { valid: [{ iteration: 3, score: 0.75 }] }),
  ];
  await store.write(
    'lineage.json',
    JSON.stringify({ schema_version: 1, selection: 'top_k', best: null, nodes }),
  );
  for (const [iteration, { id }] of nodes.entries())
    await store.write(
      `iterations/${iteration}/scaffolds/new/${id}/scaffold.py`,
      `def process_input(text):\n    return "${id}"\n`,
    );
}

// A browser takes its time to start on a busy machine.
describe.skipIf(mustSkipChromium(found))(
  'in at most three clicks from the list',
  { timeout: 300_000 },
  () => {
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      browser = await launched(found as string);
    });
    afterAll(() => browser?.close());

    /** Clicks one after another; returns what is in sight then, and on the whole page. */
    async function clicked(...selectors: string[]): Promise<{ text: string; target: string }> {
      const folder = resultsFolder();
      await writeRuns(folder);
      await writeRollout(folder);
      await writeEvolution(folder);
      page = await browser.newPage();
      await page.goto(await viewerOf(folder));
      expect(selectors.length).toBeLessThanOrEqual(3);
      for (const selector of selectors) {
        await page.click(selector);
        await page.waitForLoadState();
      }
      const hash = new URL(page.url()).hash;
      const before = hash === '' ? null : await page.$(`li:has(+ ${hash})`);
      const target = before === null ? '' : ((await before.textContent()) ?? '');
      return { text: visibleText(await (await fetch(page.url())).text()), target };
    }

    test('why is sample 17 wrong?', async () => {
      const { text } = await clicked('a:text-is("old")', 'a:text-is("17")');
      expect(text).toContain('five is not four');
    });

    test('what did the simulated user say before the agent booked twice?', async () => {
      const { text, target } = await clicked(
        'a:text-is("flights")',
        'table.rows a:text-is("r")',
        'nav.tools a >> nth=1',
      );
      expect(target).toContain('Did it go through? I see nothing.');
      expect(text).toContain('two new bookings in place of one');
    });

    test('what changed from scaffold 2-0 to 2-0-1, and did it help?', async () => {
      const { text } = await clicked('a:text-is("evolution")', 'table a:text-is("2-0-1"):visible');
      expect(text).toMatch(/Better than\s+its parent 2-0: 0.75/);
      expect(text).toMatch(/return "2-0"[\s\S]*return "2-0-1"/);
    });

    test('which samples did the new prompt lose?', async () => {
      const { text } = await clicked(
        '[aria-label="compare new"]',
        '[aria-label="compare old"]',
        'text=Compare those',
      );
      expect(text).toContain('new against old');
      expect(text).toMatch(
        /worse in new, 2 samples[\s\S]*answers3question[\s\S]*21question[\s\S]*better in new, 0 samples/,
      );
    });
  },
);
