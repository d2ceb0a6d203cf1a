import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { carryingOf, startedNotes, startedText } from '../../src/cli/started-text.js';
import type { Metrics } from '../../src/contracts/results.js';
import { configOf, folderWith } from '../support/configs.js';

test.each([
  ['new', 'Started sums'],
  ['continued', 'Continuing sums'],
  ['attached', 'Attached to sums'],
] as const)('what was started, or found: %s', (how, line) => {
  expect(startedText({ id: 'sums', how, changed: [], left: null, done: null, concurrency: null })).toEqual([
    line,
  ]);
});

test('changed code is told, and which version of it goes on', () => {
  const one = { id: 'sums', changed: ['own/env.ts'], left: null, done: null, concurrency: null };
  const goesOn =
    'own/env.ts has changed since sums began: what is done stays as it is, and the rest goes on with the new code.';
  expect(startedNotes({ ...one, how: 'continued' })).toEqual([goesOn]);
  expect(startedNotes({ ...one, how: 'attached' })).toEqual([
    'own/env.ts has changed since sums began: it goes on with the code that it began with.',
    'To go on with the new code: npx reprise stop sums, then the same command.',
  ]);
  expect(startedNotes({ ...one, how: 'continued' }, { bundled: true })).toEqual([goesOn]);
  const two = {
    id: 'sums',
    how: 'attached' as const,
    changed: ['own/agent.ts', 'own/help.ts'],
    left: null,
    done: null,
    concurrency: null,
  };
  const [first, second] = startedNotes(two, { bundled: true });
  expect(first).toContain(
    'own/agent.ts, own/help.ts have changed since sums began: it goes on with the code that it began with',
  );
  expect(second).toContain('npx reprise stop sums, then the same command');
});

test('what its config means comes first', () => {
  const started = {
    id: 'sums',
    how: 'attached' as const,
    changed: [],
    left: null,
    done: null,
    concurrency: 20,
  };
  const means = ['Samples are independent.', 'Each prompt shows its question alone.'];
  expect(startedText(started, { means })).toEqual([
    'Attached to sums',
    ...means,
    'sums does 20 at once from now on.',
  ]);
});

test('another concurrency is told', () => {
  const notes = startedNotes({
    id: 'sums',
    how: 'attached',
    changed: [],
    left: null,
    done: null,
    concurrency: 20,
  });
  expect(notes).toEqual(['sums does 20 at once from now on.']);
});

test('an unfinished one that is left as it is: what it differs in', () => {
  const started = { id: 'sums-2', how: 'new' as const, changed: [], done: null, concurrency: null };
  const left = { id: 'sums', differs: 'lm.temperature' };
  expect(startedText({ ...started, left })).toEqual([
    'Started sums-2',
    'sums is unfinished and stays so, since lm.temperature differs: this one is begun anew, and pays for its own calls.',
  ]);
});

test.each<[number, string]>([
  [0, 'sums is finished and stays as it is: sums-2 begins anew, asks everything and pays for it.'],
  [
    1,
    'sums is finished, with 1 error: npx reprise retry sums asks for that alone. sums-2 begins anew, asks everything and pays for it.',
  ],
  [
    10,
    'sums is finished, with 10 errors: npx reprise retry sums asks for those alone. sums-2 begins anew, asks everything and pays for it.',
  ],
])('a finished one with %i errors that is left as it is: how those are asked again', (errors, told) => {
  const metrics = { kind: 'run', samples: 60, errors } as Metrics;
  const done = { id: 'sums', artifacts: pathToFileURL('results/sums').href, metrics };
  const started = { id: 'sums-2', how: 'new' as const, changed: [], left: null, concurrency: null };
  expect(startedNotes({ ...started, done })).toEqual([told]);
  const elsewhere = { ...done, artifacts: 's3://bucket/sums' };
  const [note] = startedNotes({ ...started, done: elsewhere });
  if (errors > 0) expect(note).toContain('npx reprise retry s3://bucket/sums asks for');
});

test('what prompts show is told of the memory that the run began with: its own copy, or what is loaded', async () => {
  const memory = (target: string) =>
    JSON.stringify({
      _type: 'history_list',
      entries: [{ _type: 'experience', obs: 'q', action: 'a', feedback: { correct: false, target } }],
    });
  const folder = folderWith({ 'memory.json': memory('gold'), 'other.json': 'no JSON' });
  const prompts = async (load_memory_path: string, id = 'run') => {
    const output = { load_memory_path, results_dir: folder };
    const config = configOf({ agent: { type: 'memory_agent' }, runtime: { memory_scope: 'sample' }, output });
    return (await carryingOf(config, id)).means?.[1];
  };
  expect(await prompts(join(folder, 'memory.json'))).toContain(
    'with the right answers) of the loaded memory',
  );
  // Of a run that was begun, the file may be another one by now.
  mkdirSync(join(folder, 'begun'));
  writeFileSync(join(folder, 'begun', 'loaded-memory.json'), memory(''));
  expect(await prompts(join(folder, 'memory.json'), 'begun')).toContain('without the right answers');
  expect(await prompts(join(folder, 'other.json'), 'begun')).toContain('without the right answers');
  // Where it cannot be seen from here, nothing is promised.
  expect(await prompts(join(folder, 'other.json'))).toContain(
    'Whether texts of the loaded memory tell right answers is not known.',
  );
});
