import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { InvalidInputError } from '../../src/config/errors.js';
import { type LoadOptions, resolveConfig } from '../../src/config/load.js';
import { runConfigs } from '../../src/kinds/run/config.js';
import type { RunConfig } from '../../src/kinds/run/schema.js';

/** The least that a config has to say. */
export const MINIMAL = {
  dataset: { items: [{ question: 'q', answer: 'a' }] },
  lm: { provider: 'simulated' },
};

/** The minimal config with other sections, resolved against `/configs` from the working folder `/work`. */
export function configOf(sections: Record<string, unknown> = {}, options: LoadOptions = {}): RunConfig {
  return resolveConfig(
    runConfigs,
    { ...MINIMAL, ...sections },
    { source: 'run.yaml', folder: '/configs', fallbackName: 'run', workingFolder: '/work', ...options },
  );
}

/** What a bad config is refused with; fails the test where it is accepted, or fails in another way. */
export function refusal(make: () => unknown): InvalidInputError {
  let accepted: unknown;
  try {
    accepted = make();
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(accepted)}`);
}

/** A folder with these files, removed when the test ends. */
export function folderWith(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}
