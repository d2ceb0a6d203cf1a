import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

let place = '';
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'reprise-bundled-'));
  for (const name of ['dist', 'package.json']) cpSync(name, join(place, name), { recursive: true });
  for (const name of readdirSync(bundled()).filter((one) => one.startsWith('compiled-')))
    rmSync(join(bundled(), name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const bundled = () => join(place, 'dist/bundled');
const compiled = () => join(bundled(), `compiled-${process.version}-${process.arch}`);

const help = () =>
  execFileSync(process.execPath, [join(place, 'dist/cli/main.js'), 'run', '--help'], { encoding: 'utf8' });

it('the command keeps what was compiled, runs from it, and bears files that are no such code', () => {
  const first = help();
  const stored = readdirSync(compiled());
  expect(stored.some((name) => /^program-.*\.cjs$/.test(name))).toBe(true);
  expect(stored.filter((name) => !name.endsWith('.cjs'))).toEqual([]);
  expect(help()).toBe(first);
  for (const name of stored) writeFileSync(join(compiled(), name), 'no code');
  expect(help()).toBe(first);
});

it('the command runs from dist/ where nothing was put together', () => {
  const first = help();
  rmSync(bundled(), { recursive: true });
  expect(help()).toBe(first);
});
