import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers/fake-provider.js';
import { JITI } from '../support/jiti.js';

const SCRIPT = fileURLToPath(new URL('./embed-and-keep.ts', import.meta.url));
const TEXTS = 40;

let folder: string;
let provider: FakeProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-kill-'));
  provider = await startFakeProvider('openai');
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

function start(): ChildProcess {
  return spawn(process.execPath, [JITI, SCRIPT, provider.baseUrl, folder, String(TEXTS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

it('A worker killed -9 while it waits for vectors loses that request, and pays for no other again', async () => {
  const victim = start();
  provider.intercept = ({ number }) => {
    if (number !== 4) return undefined;
    victim.kill('SIGKILL');
    return { kind: 'hang', when: 'before_headers' };
  };
  expect((await once(victim, 'exit'))[1]).toBe('SIGKILL');

  const next = start();
  const exited = once(next, 'exit');
  const [said] = await Promise.race([once(next.stdout as NodeJS.ReadableStream, 'data'), exited]);
  expect((await exited)[0]).toBe(0);
  expect(JSON.parse(String(said))).toMatchObject({ texts: TEXTS - 15, requests: 5 });
  const answered = provider.requests.flatMap(({ number, texts }) => (number === 4 ? [] : (texts ?? [])));
  expect(answered).toHaveLength(TEXTS);
  expect(new Set(answered).size).toBe(TEXTS);
}, 60_000);
