import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../../cli/exit.js';
import { writeOut } from '../../../cli/print.js';
import { InvalidInputError } from '../../../config/errors.js';
import { printable } from '../../../contracts/printable.js';

const TEST = /\.test\.m?[jt]s$/;

/** Runs the tests in a bundle's folder, in a separate process. @returns the command's exit code */
export async function testBundle(folder: string): Promise<number> {
  const path = resolve(folder);
  const names = existsSync(path) ? readdirSync(path).filter((name) => TEST.test(name)) : [];
  if (names.length === 0) {
    throw new InvalidInputError(`there is no test in ${path}: write one such as reward.test.ts`);
  }
  const entry = fileURLToPath(new URL('../workbench/run-tests.js', import.meta.url));
  const files = names.sort().map((name) => join(path, name));
  const child = spawn(process.execPath, [entry, ...files], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => writeOut(printable(text)));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? EXIT.done : EXIT.failed;
}
