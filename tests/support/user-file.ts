import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A user's file, in a folder of its own until the test is over. Answers with its path. */
export async function userFile(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-user-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
