import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addCompareCommand } from '../../src/cli/compare.js';
import { addExportCommand } from '../../src/cli/export.js';
import { addMemoryCommands } from '../../src/cli/memory.js';
import { addStatsCommand } from '../../src/cli/stats.js';
import { savedMemory } from '../../src/memory/saved.js';
import { visibleText } from '../reports/support.js';
import { writeExperiment } from '../support/compared-experiments.js';
import { row, taskRow } from '../support/rows.js';
import { findVersitygw, mustSkip, type S3Server, startS3Server } from '../support/s3-server.js';
import { episode } from '../trajectories/support.js';
import { pageAt, viewerOf } from '../view/support.js';
import { textInTerminal } from './in-terminal.js';

const versitygw = await findVersitygw();

describe.skipIf(mustSkip(versitygw))('commands that read take an experiment in S3', () => {
  let server: S3Server;
  let results: string;

  beforeAll(async () => {
    server = await startS3Server();
    for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
    results = `s3://${server.bucket}/results`;
    const memory = savedMemory('cheatsheet', { cheatsheet: 'notes', versions: [], experiences: [] });
    for (const [name, outcome] of [
      ['a', 'no'],
      ['b', 'yes'],
    ] as const) {
      await writeExperiment(results, name, {
        rows: [taskRow(row('s', 0, outcome))],
        files: {
          'memory.json': JSON.stringify(memory),
          'trajectories.jsonl': JSON.stringify(episode('s', [1])),
        },
      });
    }
  }, 60_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.stop();
  });

  test.each<[string, Parameters<typeof textInTerminal>[0], string[], RegExp]>([
    ['compare', addCompareCommand, ['A', 'B'], /B +b: s3:\/\/.*\/results\/b[\s\S]*\+100\.0 points/],
    ['stats', addStatsCommand, ['A', '--against', 'B'], /difference +│ -1, 95 % interval/],
    ['export', addExportCommand, ['A', '--format', 'trajectories'], /1 rows of 1 trajectories/],
    ['memory', addMemoryCommands, ['show', 'A'], /cheatsheet: 1 versions/],
  ])('reprise %s, by its address and by its id', async (name, add, words, printed) => {
    const command = textInTerminal(add, name);
    const named = (place: (id: string) => string) =>
      words.map((word) => (/^[AB]$/.test(word) ? place(word.toLowerCase()) : word));
    const found = await command(...named((id) => `${results}/${id}`));
    expect([found.code, found.out]).toEqual([0, expect.stringMatching(printed)]);
    const byId = await command(...named((id) => id), '--results-dir', results);
    expect([byId.code, byId.out]).toEqual([0, expect.stringMatching(printed)]);
  });

  test('the viewer shows them, keeps notes there, and compares them', async () => {
    const url = await viewerOf(results, { write: true });
    expect(visibleText((await pageAt(url)).text)).toContain('2 experiments');
    expect((await pageAt(url, 'experiment?id=a')).text).toContain('unit=s&amp;trial=0');
    expect(visibleText((await pageAt(url, 'compare?id=a&id=b')).text)).toMatch(/b against a[\s\S]*\+100/);
    const { status } = await fetch(`${url}act`, {
      method: 'POST',
      headers: { origin: new URL(url).origin },
      body: new URLSearchParams({ id: 'a', what: 'note', unit: 's', trial: '0', text: 'as I thought' }),
      redirect: 'manual',
    });
    expect(status).toBe(303);
    expect((await pageAt(url, 'unit?id=a&unit=s&trial=0')).text).toContain('as I thought');
  });
});
