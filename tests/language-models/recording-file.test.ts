import { fstatSync, readdirSync } from 'node:fs';
import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecordingFile } from '../../src/language-models/recording-index.js';
import { replayLanguageModel } from '../../src/language-models/replay.js';
import { failure, request } from './support.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let folder: string;
let recording: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-recording-file-'));
  recording = join(folder, 'calls.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** How many descriptors of this process lead to a file. */
async function descriptorsOf(path: string): Promise<number> {
  const { ino, dev } = await stat(path);
  return readdirSync('/dev/fd').filter((name) => {
    try {
      const open = fstatSync(Number(name));
      return open.ino === ino && open.dev === dev;
    } catch {
      return false;
    }
  }).length;
}

/** Collects until nothing holds the file any longer, for two seconds at the most. */
async function collectUntilClosed(path: string): Promise<void> {
  for (let turn = 0; turn < 100 && (await descriptorsOf(path)) > 0; turn++) await collect();
}

async function collect(): Promise<void> {
  collectGarbage();
  await setTimeout(20);
}

const call = { sample_id: 'a', trial: 0, purpose: 'act' as const, ordinal: 0 };

/** In a function of its own, so that nothing on the test's stack keeps the model. */
async function askOnce(): Promise<string> {
  const model = replayLanguageModel({ recording, timeoutMs: 30_000 });
  return await model.generate(request('?', { call })).then(
    ({ text }) => text,
    (error: Error) => error.message,
  );
}

describe('the descriptor of a recording', () => {
  it('is closed once when a line is bad: never the file that has its number next', async () => {
    // Longer than what is read at a time, so that reading ends early.
    await writeFile(recording, `no JSON\n${' '.repeat(3 << 20)}`);
    const secret = join(folder, 'victim.txt');
    await writeFile(secret, 'still here');
    for (let round = 0; round < 5; round++) {
      expect(await askOnce()).toContain('line 1: is no JSON');
      expect(await descriptorsOf(recording)).toBe(0);
      const victim = await open(secret, 'r');
      try {
        for (let turn = 0; turn < 5; turn++) await collect();
        expect((await victim.read({ position: 0 })).bytesRead).toBe(10);
        expect(await descriptorsOf(secret)).toBe(1);
      } finally {
        await victim.close();
      }
    }
  });

  it('is closed at once when the index cannot be read, not when memory is collected', async () => {
    await writeFile(recording, 'no JSON\n');
    const model = replayLanguageModel({ recording, timeoutMs: 30_000 });
    for (let attempt = 0; attempt < 3; attempt++) {
      await failure(model.generate(request('?', { call })));
      expect(await descriptorsOf(recording)).toBe(0);
    }
  });

  it('goes when the model that reads it is gone', async () => {
    await writeFile(recording, '{"sample_id":"a","text":"hello"}\n');
    expect(await askOnce()).toBe('hello');
    await collectUntilClosed(recording);
    expect(await descriptorsOf(recording)).toBe(0);
  });

  it('stays open while somebody waits for bytes that nobody else holds', async () => {
    const content = Buffer.alloc(64 << 20, 'x');
    await writeFile(recording, content);
    const reading = (async () => await (await openRecordingFile(recording)).range(0, content.length))();
    const indexing = (async () => {
      let bytes = 0;
      for await (const chunk of (await openRecordingFile(recording)).chunks()) {
        await collect();
        bytes += chunk.length;
      }
      return bytes;
    })();
    for (let turn = 0; turn < 20; turn++) await collect();
    expect((await reading).equals(content)).toBe(true);
    expect(await indexing).toBe(content.length);
  });
});
