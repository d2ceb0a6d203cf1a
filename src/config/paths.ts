import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutTrailing } from '../contracts/trailing.js';
import { isCheatsheetAgent } from './combinations.js';
import { InvalidInputError } from './errors.js';
import type { RunConfig } from './schema.js';

/** Whether a location is an object store's and so has nothing to do with the file system here. */
export function isRemote(location: string): boolean {
  return location.startsWith('s3://');
}

/** An absolute path, or the remote address as it is. `file://` addresses become paths. */
export function resolveLocation(location: string, folder: string): string {
  if (isRemote(location)) return withoutTrailing(location, /\//);
  if (location.startsWith('file://')) return fileURLToPath(location);
  return isAbsolute(location) ? location : resolve(folder, location);
}

/** @throws InvalidInputError where a location on this machine has nothing. A remote one is not asked. */
export function requireFile(location: string, field: string): void {
  if (isRemote(location) || existsSync(location)) return;
  throw new InvalidInputError(`${field}: there is no file at ${location}`, field);
}

/**
 * An input's absolute location; what is not given stays so.
 * @throws InvalidInputError that names the field, where a location on this machine has nothing.
 */
export function inputLocation<Location extends string | null | undefined>(
  location: Location,
  field: string,
  folder: string,
): Location {
  if (location == null) return location;
  const resolved = resolveLocation(location, folder);
  requireFile(resolved, field);
  return resolved as Location;
}

/** A template's text. What has neither a line break nor a placeholder is the path of a file. */
function template(given: string | null, field: string, folder: string): string | null {
  if (given === null || /[\n{]/.test(given)) return given;
  const path = resolveLocation(given, folder);
  requireFile(path, field);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`${field}: ${path} cannot be read: ${(error as Error).message}`, field);
  }
}

/**
 * Makes every path of the config absolute against the YAML's folder and checks that inputs exist.
 * A `results_dir` that the config does not give is `results` in the working folder.
 */
export function resolvePaths(
  config: RunConfig,
  folders: { config: string; working: string; resultsGiven: boolean },
): RunConfig {
  const input = <Location extends string | null | undefined>(location: Location, field: string) =>
    inputLocation(location, field, folders.config);
  const optional = (location: string | null): string | null =>
    location === null ? null : resolveLocation(location, folders.config);

  const result = structuredClone(config);
  const { dataset, lm, agent, output } = result;
  dataset.dataset_path = input(dataset.dataset_path, 'dataset.dataset_path');
  dataset.env_file = input(dataset.env_file, 'dataset.env_file');
  lm.script = input(lm.script, 'lm.script');
  lm.recording = input(lm.recording, 'lm.recording');
  if (isCheatsheetAgent(agent)) {
    agent.generator_template = template(agent.generator_template, 'agent.generator_template', folders.config);
    agent.cheatsheet_template = template(
      agent.cheatsheet_template,
      'agent.cheatsheet_template',
      folders.config,
    );
  }
  if ('file' in agent) agent.file = input(agent.file, 'agent.file');
  output.load_memory_path = input(output.load_memory_path, 'output.load_memory_path');
  output.save_memory_path = optional(output.save_memory_path);
  output.results_dir = resolveLocation(
    output.results_dir,
    folders.resultsGiven ? folders.config : folders.working,
  );
  return result;
}
