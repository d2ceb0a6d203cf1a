import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WorkerDependencies } from '../../src/activities/dependencies.js';
import type { EpisodeLine } from '../../src/kinds/run/activities/part-file.js';
import { RunContext } from '../../src/kinds/run/activities/run-context.js';
import type { RunConfig } from '../../src/kinds/run/schema.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { openStore } from '../../src/storage/open.js';
import { StorageError } from '../../src/storage/storage-error.js';
import { localCode } from '../../src/user-code/code-runner.js';

/** A store over a folder that is removed when the test ends. */
export async function temporaryStore(): Promise<ArtifactStore> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-activities-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openStore(folder);
}

/** A store that does something else where a key with this prefix is to be written; `write` writes it after all. */
export function interceptWrites(
  store: ArtifactStore,
  prefix: string,
  instead: (key: string, write: () => Promise<boolean>) => Promise<boolean>,
): ArtifactStore {
  return new Proxy(store, {
    get(target, name) {
      const value = target[name as keyof ArtifactStore] as unknown;
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value;
      return (key: string, body: string) =>
        key.startsWith(prefix) ? instead(key, () => target.write(key, body)) : target.write(key, body);
    },
  });
}

/** What a store throws. */
export function storageError(message: string, retryable: boolean): StorageError {
  return new StorageError({ message, uri: 'file:///store', key: null, code: 'ETEST', retryable });
}

/** What activities know of a run in a store, with a built-in environment and no model. */
export function runContext(store: ArtifactStore, config: RunConfig, samples = 10): RunContext {
  const dependencies = {
    openStore,
    environment: {},
    userCode: localCode(),
  };
  return new RunContext(
    store,
    config,
    { todo: null, samples_planned: samples },
    dependencies as unknown as WorkerDependencies,
  );
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The keys below a prefix. */
export async function keys(store: ArtifactStore, prefix = ''): Promise<string[]> {
  return (await collect(store.list(prefix))).map(({ key }) => key);
}

/** A line of a part; its row is judged as `row.feedback.correct` says. */
export function episodeLine(
  index: number,
  trial: number,
  fields: Partial<Pick<EpisodeLine, 'row' | 'calls' | 'steps'>>,
): EpisodeLine {
  return { kind: 'episode', index, trial, calls: [], steps: [], row: undefined as never, ...fields };
}
