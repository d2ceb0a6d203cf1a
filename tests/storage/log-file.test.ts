import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogFile } from '../../src/storage/log-file.js';

async function logIn(): Promise<{ path: string; lines: (file: string) => string[] | null }> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'results', 'run.log');
  const lines = (file: string) =>
    existsSync(path + file)
      ? readFileSync(path + file, 'utf8')
          .trimEnd()
          .split('\n')
      : null;
  return { path, lines };
}

test('a full file is renamed, and the oldest ones are deleted', async () => {
  const { path, lines } = await logIn();
  const log = new LogFile(path, { maxBytes: 12, maxFiles: 3 });
  // Four bytes each, with the line break: three a file.
  for (let line = 100; line < 112; line++) log.write(String(line));
  expect([lines(''), lines('.1'), lines('.2'), lines('.3')]).toEqual([
    ['109', '110', '111'],
    ['106', '107', '108'],
    ['103', '104', '105'],
    null,
  ]);
});

test('bytes count, and a line that is longer than a file has one of its own', async () => {
  const { path, lines } = await logIn();
  const log = new LogFile(path, { maxBytes: 8, maxFiles: 5 });
  for (const line of ['äää', 'b', 'far too long for a file', 'c']) log.write(line);
  expect([lines(''), lines('.1'), lines('.2'), lines('.3')]).toEqual([
    ['c'],
    ['far too long for a file'],
    ['b'],
    ['äää'],
  ]);
});

test('a program that continues a log counts what is there', async () => {
  const { path, lines } = await logIn();
  new LogFile(path, { maxBytes: 8 }).write('first');
  const next = new LogFile(path, { maxBytes: 8 });
  next.write('2');
  next.write('3');
  expect([lines(''), lines('.1')]).toEqual([['3'], ['first', '2']]);
});

test('one file alone begins anew', async () => {
  const { path, lines } = await logIn();
  const log = new LogFile(path, { maxBytes: 4, maxFiles: 1 });
  for (const line of ['one', 'two']) log.write(line);
  expect([lines(''), lines('.1')]).toEqual([['two'], null]);
});
