import { describe, expect, test } from 'vitest';
import { mergeLogs } from '../../src/activities/merge-logs.js';
import { RunLogs } from '../../src/activities/run-log.js';
import { logLines } from '../../src/kinds/evolve/activities/log-lines.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { artifactKeys, logPartsPrefix } from '../../src/storage/paths.js';
import { temporaryStore } from './support.js';

async function logged(store: ArtifactStore): Promise<Record<string, unknown>[]> {
  const text = (await store.readText(artifactKeys.log)) ?? '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

describe('a line of run.log', () => {
  test('has its component and the time of what it tells, and stands where that belongs', async () => {
    const store = await temporaryStore();
    const logs = new RunLogs();
    const begun = new Date().toISOString();
    logs.for(store, 'INFO', 'model').warn({ sample: 'a', trial: 0 }, 'LM call failed');
    logs.for(store, 'INFO', 'episode').info({ time: at(2), sample: 'b', trial: 1 }, 'episode');
    logs.for(store, 'INFO', 'episode').info({ time: at(1), sample: 'a', trial: 1 }, 'episode');
    logs.for(store, 'INFO', 'model').debug('nothing');
    logLines(logs.for(store, 'INFO', 'iteration'), {
      lines: ['one', 'two'],
      line_times: [Date.parse(at(3))],
    });
    await logs.flush(store.uri);
    await mergeLogs(store);
    const lines = await logged(store);
    expect(lines.slice(0, 3)).toEqual([
      { level: 'INFO', component: 'episode', time: at(1), sample: 'a', trial: 1, msg: 'episode' },
      { level: 'INFO', component: 'episode', time: at(2), sample: 'b', trial: 1, msg: 'episode' },
      { level: 'INFO', component: 'iteration', time: at(3), msg: 'one' },
    ]);
    expect(lines.slice(3)).toMatchObject([
      { level: 'WARN', component: 'model', sample: 'a', trial: 0, msg: 'LM call failed' },
      { component: 'iteration', msg: 'two' },
    ]);
    for (const { time } of lines.slice(3)) expect(String(time) >= begun).toBe(true);
  });
});

describe('the log of an execution that continues another', () => {
  const write = async (store: ArtifactStore, second: number, ...messages: string[]) => {
    const logs = new RunLogs();
    for (const msg of messages) logs.for(store, 'INFO', 'experiment').info({ time: at(second) }, msg);
    await logs.flush(store.uri);
  };
  const messages = async (store: ArtifactStore) => (await logged(store)).map(({ msg }) => msg);

  test('comes behind what was logged before, also where the parts of that are gone', async () => {
    const store = await temporaryStore();
    await write(store, 1, 'first', 'same', 'same');
    await mergeLogs(store);
    await store.deleteFolder(logPartsPrefix().replace(/\/$/, ''));
    await write(store, 2, 'retried');
    await mergeLogs(store);
    expect(await messages(store)).toEqual(['first', 'same', 'same', 'retried']);
  });

  test('has each line once, however often it is merged', async () => {
    const store = await temporaryStore();
    await write(store, 1, 'first', 'same', 'same');
    await mergeLogs(store);
    await write(store, 2, 'second');
    await mergeLogs(store);
    await mergeLogs(store);
    expect(await messages(store)).toEqual(['first', 'same', 'same', 'second']);
  });

  test('is written where somebody has put something else into it', async () => {
    const store = await temporaryStore();
    await store.write(artifactKeys.log, 'a note\nnull\n');
    await write(store, 1, 'first');
    await mergeLogs(store);
    expect(await messages(store)).toEqual(['first']);
  });
});
