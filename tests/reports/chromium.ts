import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { mustSkipWithout } from '../support/missing-part.js';

const run = promisify(execFile);
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The browser's command, or null: `CHROMIUM` names it, else it is looked for on the path. */
export async function findChromium(): Promise<string | null> {
  for (const command of [process.env.CHROMIUM, ...NAMES]) {
    if (command === undefined || command === '') continue;
    const found = await run(command, ['--version'], { timeout: 60_000 }).catch(() => null);
    if (found !== null) return command;
  }
  return null;
}

/** Whether tests that need the browser must be skipped. */
export function mustSkipChromium(command: string | null): boolean {
  const missing =
    command === null ? 'Chromium is missing: install it, or name its command in CHROMIUM' : null;
  return mustSkipWithout('chromium', missing);
}

/** Starts the browser, without a window. */
export function launched(command: string): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/** The document as it stands in a headless browser after the page was loaded and its scripts have run. */
export async function loadedDocument(command: string, page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-page-'));
  try {
    const file = join(folder, 'page.html');
    await writeFile(file, page);
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const options = ['--headless', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`, ...asRoot];
    const { stdout } = await run(command, [...options, '--dump-dom', pathToFileURL(file).href], {
      timeout: 120_000,
      maxBuffer: 1 << 28,
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
