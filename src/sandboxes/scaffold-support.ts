import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../docker/scaffold-runner/support/', import.meta.url);
const NAMES = ['llm_executor.py', 'llm_interfaces.py'] as const;

let read: Promise<Readonly<Record<string, string>>> | undefined;

/** Returns the files beside every scaffold, by name, which give it a language model. Read once. */
export function scaffoldSupport(): Promise<Readonly<Record<string, string>>> {
  read ??= readFiles().catch((error) => {
    read = undefined;
    throw error;
  });
  return read;
}

async function readFiles(): Promise<Readonly<Record<string, string>>> {
  const files = NAMES.map(async (name) => [
    name,
    await readFile(fileURLToPath(new URL(name, FOLDER)), 'utf8'),
  ]);
  return Object.freeze(Object.fromEntries(await Promise.all(files)));
}
