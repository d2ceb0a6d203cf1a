import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Started } from '../../src/client/start.js';
import { startedText } from '../../src/client/start-with-notes.js';
import { runCommand } from '../../src/kinds/run/command.js';
import type { Metrics } from '../../src/kinds/run/results.js';
import { configOf, folderWith } from '../support/configs.js';
import { ANY_FACTS } from '../support/experiments.js';

/** An experiment of which there is nothing to say. */
const STARTED = {
  id: 'sums',
  how: 'started',
  changed: [],
  left: null,
  done: null,
  concurrency: null,
} satisfies Parameters<typeof startedText>[0];

type Told = Parameters<typeof startedText>;

function said(started: Partial<Told[0]>, saying: Partial<Told[1]> = {}): string[] {
  return startedText({ ...STARTED, ...started }, { facts: ANY_FACTS, ...saying });
}

/** What is said beside how it was started. */
function notesOf(started: Partial<Told[0]>, saying?: Partial<Told[1]>): string[] {
  return said(started, saying).slice(1);
}

test.each([
  ['started', 'Started sums'],
  ['continued', 'Continuing sums'],
  ['attached', 'Attached to sums'],
] as const)('what was started, or found: %s', (how, line) => {
  expect(said({ how })).toEqual([line]);
});

test('changed code is told, and which version of it continues', () => {
  const one = { changed: ['own/env.ts'] };
  const continues =
    'own/env.ts has changed since sums began: what is done stays as it is, and the rest continues with the new code.';
  expect(notesOf({ ...one, how: 'continued' })).toEqual([continues]);
  expect(notesOf({ ...one, how: 'attached' })).toEqual([
    'own/env.ts has changed since sums began: it continues with the code that it began with.',
    'To continue with the new code: npx reprise stop sums, then the same command.',
  ]);
});

test('what its kind has to say comes first and last', () => {
  const saying = { before: ['Samples are independent.'], after: ['You are the user.'] };
  expect(said({ how: 'attached', concurrency: 20 }, saying)).toEqual([
    'Attached to sums',
    'Samples are independent.',
    'sums does 20 at once from now on.',
    'You are the user.',
  ]);
});

test('an unfinished one that is left as it is: what it differs in', () => {
  expect(said({ id: 'sums-2', left: { id: 'sums', differs: 'lm.temperature' } })).toEqual([
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
  const notes = (one: typeof done, isRetriable = true) =>
    notesOf({ id: 'sums-2', done: one }, { isRetriable });
  expect(notes(done)).toEqual([told]);
  const elsewhere = { ...done, artifacts: 's3://bucket/sums' };
  const [note] = notes(elsewhere);
  if (errors > 0) expect(note).toContain('npx reprise retry s3://bucket/sums asks for');
  expect(notes(done, false)[0]).not.toContain('retry');
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
    const said = await runCommand.says?.(config, { id } as Started<typeof config>);
    return said?.before?.[1];
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
