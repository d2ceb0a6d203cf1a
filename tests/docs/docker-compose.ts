import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/workers/temporal-binary.js';
import { mustSkipWithout } from '../support/missing-part.js';

const run = promisify(execFile);

/** Inline `configs` need it. */
const LEAST = [2, 23, 1];
/** The newest version that `go install` takes: github.com/docker/compose/v2/cmd@v2.34.0. */
export const BUILT = 'docker-compose-v2.34.0';

/** How to call Docker Compose, or what is missing. */
export type FoundCompose = { command: [string, ...string[]] } | { missing: string };

function isNewEnough(version: string): boolean {
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  // A build with Go calls itself `dev`.
  if (numbers === undefined) return version.trim() === 'dev';
  const [major = 0, minor = 0, patch = 0] = numbers;
  const [leastMajor = 0, leastMinor = 0, leastPatch = 0] = LEAST;
  if (major !== leastMajor) return major > leastMajor;
  return minor === leastMinor ? patch >= leastPatch : minor > leastMinor;
}

/**
 * Looks for Docker Compose 2.23.1 or newer: `REPRISE_COMPOSE_BIN`, the `docker compose` plugin, `docker-compose` on
 * PATH, and in Reprise's cache folder. Reading a file with it needs no daemon.
 */
export async function findCompose(): Promise<FoundCompose> {
  const named = process.env.REPRISE_COMPOSE_BIN;
  const candidates: [string, ...string[]][] = named
    ? [[named]]
    : [['docker', 'compose'], ['docker-compose'], [join(cacheFolder(), 'bin', BUILT)]];
  for (const command of candidates) {
    const [program, ...args] = command;
    const version = await run(program, [...args, 'version', '--short']).then(
      ({ stdout }) => stdout,
      () => '',
    );
    if (isNewEnough(version)) return { command };
  }
  return {
    missing:
      'no Docker Compose 2.23.1 or newer; install the docker compose plugin (https://docs.docker.com/compose/install), or set REPRISE_COMPOSE_BIN',
  };
}

/** Whether tests that need it must be skipped: see {@link mustSkipWithout}. */
export function mustSkipCompose(found: FoundCompose): boolean {
  const missing =
    'command' in found ? null : `docker-compose.yml is not checked by Docker Compose: ${found.missing}`;
  return mustSkipWithout('docker-compose', missing);
}
