import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidInputError } from './errors.js';
import type { RunConfig } from './schema.js';

/** Whether a location is an object store's and so has nothing to do with the file system here. */
export function isRemote(location: string): boolean {
  return location.startsWith('s3://');
}

/** An absolute path, or the remote address as it is. `file://` addresses become paths. */
export function resolveLocation(location: string, folder: string): string {
  if (isRemote(location)) return location.replace(/\/+$/, '');
  if (location.startsWith('file://')) return fileURLToPath(location);
  return isAbsolute(location) ? location : resolve(folder, location);
}

function requireFile(location: string, field: string): void {
  if (isRemote(location) || existsSync(location)) return;
  throw new InvalidInputError(`${field}: there is no file at ${location}`, field);
}

/**
 * Makes every path of the config absolute against the YAML's folder and checks that inputs exist.
 * A `results_dir` that the config does not give is `results` in the working folder.
 */
export function resolvePaths(
  config: RunConfig,
  folders: { config: string; working: string; resultsGiven: boolean },
): RunConfig {
  const input = (location: string | undefined, field: string): string | undefined => {
    if (location === undefined) return undefined;
    const resolved = resolveLocation(location, folders.config);
    requireFile(resolved, field);
    return resolved;
  };
  const optional = (location: string | null): string | null =>
    location === null ? null : resolveLocation(location, folders.config);

  const result = structuredClone(config);
  const { dataset, lm, agent, output } = result;
  dataset.dataset_path = input(dataset.dataset_path, 'dataset.dataset_path');
  dataset.env_file = input(dataset.env_file, 'dataset.env_file');
  lm.script = input(lm.script, 'lm.script');
  lm.recording = input(lm.recording, 'lm.recording');
  if ('file' in agent) agent.file = input(agent.file, 'agent.file') as string;
  output.load_memory_path = input(output.load_memory_path ?? undefined, 'output.load_memory_path') ?? null;
  output.save_memory_path = optional(output.save_memory_path);
  output.results_dir = resolveLocation(
    output.results_dir,
    folders.resultsGiven ? folders.config : folders.working,
  );
  return result;
}
