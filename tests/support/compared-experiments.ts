import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { jsonLines } from '../../src/storage/json-lines.js';
import { openStore } from '../../src/storage/open.js';
import { artifactKeys } from '../../src/storage/paths.js';
import { writeStoredConfig } from '../../src/storage/stored-config.js';
import { EVALUATION_METRICS, RUN_METRICS } from './experiments.js';
import { EVERY_KIND, resolved } from './kinds.js';

/** Folder of experiments that is removed when the test ends. */
export function resultsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-compare-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const METRICS: Record<string, object> = {
  run: RUN_METRICS,
  'agent-eval': EVALUATION_METRICS,
  'own-kind': { ...RUN_METRICS, kind: 'own-kind' },
};

interface Written {
  kind?: string;
  /** Further sections of the config. */
  config?: Record<string, unknown>;
  rows: readonly object[];
  metrics?: object;
  /** Further files by key. */
  files?: Record<string, string>;
}

/** Writes the folder of an experiment as its kind does, below a folder or an `s3://` address; returns where it is. */
export async function writeExperiment(
  results: string,
  name: string,
  { kind = 'run', config = {}, rows, metrics = {}, files = {} }: Written,
): Promise<string> {
  const folder = `${results}/${name}`;
  const store = openStore(folder);
  const of = EVERY_KIND.find(({ id }) => id === kind);
  if (of === undefined) throw new Error(`there is no kind ${kind}`);
  await writeStoredConfig(store, resolved(of.kind, { ...of.least, name, ...config }));
  await store.writeStream(
    artifactKeys.results,
    jsonLines(
      (async function* () {
        yield* rows;
      })(),
    ),
  );
  const written = { ...METRICS[kind], name, experiment: name, ...metrics };
  await store.write(artifactKeys.metrics, JSON.stringify(written));
  for (const [key, text] of Object.entries(files)) await store.write(key, text);
  return folder;
}
