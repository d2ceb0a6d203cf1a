import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What keeps a test from starting a Docker daemon of its own on this machine, or null where nothing does. */
export async function whyNoOwnDaemon(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'a Docker daemon of its own can only be started by root';
  for (const program of ['dockerd', 'docker']) {
    try {
      await promisify(execFile)(program, ['--version']);
    } catch {
      return `${program} is not on PATH, so no Docker daemon can be started: install Docker Engine`;
    }
  }
  return null;
}
