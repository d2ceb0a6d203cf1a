import { describe, expect, test } from 'vitest';
import { mergeLogs } from '../../src/activities/merge-logs.js';
import { RunLogs, sinkOf } from '../../src/activities/run-log.js';
import { logLines } from '../../src/kinds/evolve/activities/iteration-files.js';
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

test('a line of code of users has its component’s names, and hides nothing of the line', async () => {
  const store = await temporaryStore();
  const logs = new RunLogs();
  const sink = sinkOf((component) => logs.for(store, 'WARN', component), 'environment', { sample: 'a' });
  expect(sink.level).toBe('WARN');
  sink.write({ level: 'WARN', name: 'parser', message: 'odd', fields: { sample: 'b', level: 3, at: [1] } });
  await logs.flush(store.uri);
  await mergeLogs(store);
  expect(await logged(store)).toEqual([
    {
      level: 'WARN',
      component: 'environment.parser',
      time: expect.any(String),
      sample: 'a',
      level_: 3,
      at: [1],
      msg: 'odd',
    },
  ]);
});

describe('a log that is too long for one file', () => {
  /** Bytes of a line, with its line break. */
  const LINE = JSON.stringify({ level: 'INFO', component: 'x', time: at(0), msg: '00' }).length + 1;
  const limits = { maxBytes: 3 * LINE, maxFiles: 3 };

  async function messagesIn(store: ArtifactStore): Promise<(string[] | null)[]> {
    return Promise.all(
      ['run.log', 'run.log.1', 'run.log.2', 'run.log.3'].map(async (key) => {
        const text = await store.readText(key);
        return (
          text
            ?.trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line).msg) ?? null
        );
      }),
    );
  }

  async function write(store: ArtifactStore, from: number, to: number): Promise<void> {
    const logs = new RunLogs();
    for (let second = from; second < to; second++)
      logs.for(store, 'INFO', 'x').info({ time: at(second) }, String(second).padStart(2, '0'));
    await logs.flush(store.uri);
  }

  test('continues in others with what was before, also over several executions; the oldest lines are dropped', async () => {
    const store = await temporaryStore();
    await write(store, 10, 14);
    await mergeLogs(store, limits);
    await mergeLogs(store, limits);
    expect(await messagesIn(store)).toEqual([['11', '12', '13'], ['10'], null, null]);
    await store.deleteFolder(logPartsPrefix().replace(/\/$/, ''));
    await write(store, 20, 27);
    await mergeLogs(store, limits);
    expect(await messagesIn(store)).toEqual([
      ['24', '25', '26'],
      ['21', '22', '23'],
      ['12', '13', '20'],
      null,
    ]);
    // With more room, what was put aside comes back.
    await mergeLogs(store);
    expect(await messagesIn(store)).toEqual([
      ['12', '13', '20', '21', '22', '23', '24', '25', '26'],
      null,
      null,
      null,
    ]);
  });

  test('keeps no more of a worker’s parts than it could show', async () => {
    const store = await temporaryStore();
    const logs = new RunLogs(undefined, 5 * LINE);
    for (let second = 10; second < 20; second++) {
      logs.for(store, 'INFO', 'x').info({ time: at(second) }, String(second));
      await logs.flush(store.uri);
    }
    await mergeLogs(store);
    expect((await messagesIn(store))[0]).toEqual(['15', '16', '17', '18', '19']);
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
