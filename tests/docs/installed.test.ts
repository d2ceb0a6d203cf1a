import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPTIONAL_PACKAGES } from '../../src/config/optional-packages.js';

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as Record<string, Record<string, string>>;

test('the packages that a message names are the optional peers, and are installed here for the tests', () => {
  const named = OPTIONAL_PACKAGES.map((one) => [
    one.slice(0, one.lastIndexOf('@')),
    one.slice(one.lastIndexOf('@') + 1),
  ]);
  const majors = Object.entries(peerDependencies ?? {}).map(([name, range]) => [
    name,
    /^\^(\d+)\./.exec(range)?.[1],
  ]);
  expect(named.sort()).toEqual(majors.sort());
  for (const [name, range] of Object.entries(peerDependencies ?? {})) {
    expect(peerDependenciesMeta?.[name]).toEqual({ optional: true });
    expect(devDependencies?.[name]).toBe(range);
    expect(dependencies).not.toHaveProperty([name]);
  }
});

test('the image gets them in the versions of the lock file', () => {
  const printed = execFileSync(process.execPath, ['docker/optional-peers.mjs'], { encoding: 'utf8' });
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const locked = Object.keys(peerDependencies ?? {}).map(
    (name) => `${name}@${packages[`node_modules/${name}`].version}`,
  );
  expect(printed.trim().split(' ')).toEqual(locked);
  expect(readFileSync('Dockerfile', 'utf8')).toContain(
    '--save-prod --omit=dev --ignore-scripts $(node docker/optional-peers.mjs)',
  );
});

describe('installed without what only some need', () => {
  let place = '';
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'reprise-installed-'));
    for (const name of ['dist', 'package.json']) cpSync(name, join(place, name), { recursive: true });
    // The maths library is beside the built code.
    const left = [...Object.keys(peerDependencies ?? {}), '@cortex-js/compute-engine'];
    mkdirSync(join(place, 'node_modules'));
    for (const name of readdirSync('node_modules').filter((one) => !one.startsWith('.'))) {
      const isLeft = left.some((one) => one === name || one.startsWith(`${name}/`));
      if (!isLeft) symlinkSync(resolve('node_modules', name), join(place, 'node_modules', name));
    }
    writeFileSync(join(place, 'rows.arrow'), '');
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  function reprise(...words: string[]) {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(place, 'dist/cli/main.js'), ...words],
      {
        cwd: place,
        encoding: 'utf8',
        timeout: 60_000,
        env: {
          PATH: process.env.PATH,
          HOME: place,
          TEMPORAL_ADDRESS: '127.0.0.1:1',
          ANTHROPIC_API_KEY: 'k',
          GEMINI_API_KEY: 'k',
        },
      },
    );
    return { said: stdout + stderr, status };
  }

  function config(fields: string): string {
    const path = join(place, 'experiment.yaml');
    writeFileSync(
      path,
      `dataset: { items: [{ question: a, answer: b }] }\nlm: { model: simulated/toy }\n${fields}`,
    );
    return path;
  }

  test.each<[string, string[], string]>([
    [
      'gemini',
      ['--set', 'lm.model=gemini/gemini-2.5-flash'],
      'lm.model: the provider gemini needs a package that is not installed: npm install @google/genai@2',
    ],
    [
      'anthropic',
      ['--set', 'lm.model=anthropic/claude-sonnet-4-5'],
      'lm.model: the provider anthropic needs a package that is not installed: npm install @anthropic-ai/sdk@1',
    ],
    [
      'S3',
      ['--results-dir', 's3://bucket/results'],
      'an s3:// address needs packages that are not installed: npm install @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3',
    ],
    [
      'Arrow',
      ['--set', 'dataset={dataset_path: rows.arrow}'],
      'an Arrow file needs a package that is not installed: npm install apache-arrow@21',
    ],
  ])('%s is refused at once, with what to install', { timeout: 120_000 }, (_what, words, message) => {
    const { said, status } = reprise('run', config(''), ...words);
    expect(said).toContain(message);
    expect(status).toBe(2);
  });

  test('imports of users are found, whatever the package is called', { timeout: 120_000 }, () => {
    const path = join(place, 'package.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"name": "reprise"', '"name": "another-name"'));
    expect(reprise('bundle', 'new', 'library').status).toBe(0);
    expect(reprise('bundle', 'check', 'library').said).toContain('2 proven solvable');
  });

  test('mathematics is compared', { timeout: 120_000 }, () => {
    writeFileSync(join(place, 'cases.jsonl'), '{"output": "$(x+3)^2$", "target": "x^2+6x+9"}\n');
    expect(reprise('grade', 'cases.jsonl', '--task-type', 'numeric').said).toContain('1 of 1 correct');
  });
});
