import { describe, expect, test } from 'vitest';
import { writeBatch } from '../../../../src/kinds/run/activities/journal-file.js';
import {
  initialMemory,
  loadedParts,
  type PerSampleMemories,
  readMemory,
} from '../../../../src/kinds/run/activities/memory-file.js';
import { MergedParts, writePart } from '../../../../src/kinds/run/activities/part-file.js';
import { writeMemory } from '../../../../src/kinds/run/activities/write-memory.js';
import type { JournalBatch } from '../../../../src/kinds/run/contracts.js';
import { partKey } from '../../../../src/kinds/run/paths.js';
import type { PartLine } from '../../../../src/kinds/run/results.js';
import type { JournalEntry, MemorySnapshot } from '../../../../src/memory/memory-module.js';
import { NOTHING_SAVED } from '../../../../src/memory/saved.js';
import { openStore } from '../../../../src/storage/open.js';
import { artifactKeys } from '../../../../src/storage/paths.js';
import { episodeLine, runContext, temporaryStore } from '../../../activities/support.js';
import { experience } from '../../../memory/support.js';
import { configOf } from '../../../support/configs.js';
import { row } from '../../../support/rows.js';

describe('memory.json of a memory whose entries are journaled', () => {
  const hybrid = configOf({ agent: { type: 'dynamic_cheatsheet_agent', mode: 'full_history' } }).memory;
  const sheet = (content: string, sample_id: string): JournalEntry => ({
    _type: 'cheatsheet',
    content,
    sample_id,
    trial: 0,
  });
  const begun = {
    _type: 'hybrid',
    cheatsheet: 'old',
    versions: [{ version: 1, content: 'old' }],
    experiences: [experience('loaded')],
  } as unknown as MemorySnapshot;
  /** What a lane hands over at its end: sizes, the sheet, the newest experiences. */
  const head = (entries: number, cheatsheet: string) => ({
    _type: 'hybrid',
    cheatsheet,
    versions: 2,
    experiences: 2,
    newest: [],
    entries,
  });

  async function written(
    memory_scope: 'run' | 'sample',
    { lines, batches = [], loaded }: { lines: PartLine[]; batches?: JournalBatch[]; loaded?: object },
  ) {
    const store = await temporaryStore();
    const saved = `${store.uri}/kept/memory.json`;
    const config = configOf({
      runtime: { memory_scope },
      agent: { type: 'dynamic_cheatsheet_agent', mode: 'full_history' },
      output: { save_memory_path: saved },
    });
    await writePart(store, partKey('e', 0, 'w0'), lines);
    for (const batch of batches) await writeBatch(store, batch);
    if (loaded !== undefined) await store.write(artifactKeys.loadedMemory, JSON.stringify(loaded));
    const run = runContext(store, config);
    const parts = await MergedParts.open(store, [partKey('e', 0, 'w0')]);
    await writeMemory(run, parts, { store, openStore, execution: 'e' });
    expect(await store.readText('kept/memory.json')).toBe(await store.readText(artifactKeys.memory));
    return readMemory(openStore, saved, hybrid, memory_scope);
  }
  const batch = (sequence: number, from: number, ...entries: JournalEntry[]): JournalBatch => ({
    run: 'r',
    execution: 'e',
    lane: 0,
    sequence,
    from,
    entries,
  });
  const episode = (id: string, index: number) => episodeLine(index, 0, { row: row(id, 0, 'no') });

  test('is what was loaded and what the shared journal holds, up to where the lane ended', async () => {
    const batches = [
      batch(0, 0, experience('a'), sheet('one', 's1'), experience('gone'), sheet('gone', 's2')),
      batch(1, 2, sheet('two', 's2'), experience('b'), experience('beyond the end')),
    ];
    const lines: PartLine[] = [{ kind: 'memory', index: 1, sample_id: 's2', memory: head(4, 'two') }];
    expect(await written('run', { lines, batches, loaded: begun })).toEqual({
      _type: 'hybrid',
      cheatsheet: 'two',
      versions: [
        { version: 1, content: 'old' },
        { version: 2, sample_id: 's1', trial: 0, content: 'one' },
        { version: 3, sample_id: 's2', trial: 0, content: 'two' },
      ],
      experiences: [experience('loaded'), experience('a'), experience('b')],
    });
  });

  test('of a run that began no sample is what was loaded, or nothing', async () => {
    expect(await written('run', { lines: [], loaded: begun })).toEqual(begun);
    expect(await written('run', { lines: [] })).toEqual({
      _type: 'hybrid',
      cheatsheet: '',
      versions: [],
      experiences: [],
    });
  });

  test('is kept whole by a run that adds nothing to it', async () => {
    const lines: PartLine[] = [{ kind: 'memory', index: 0, sample_id: 's1', memory: head(0, 'old') }];
    expect(await written('run', { lines, loaded: begun })).toEqual(begun);
  });

  test('of samples with a memory each holds every sample’s own entries', async () => {
    const entries = [experience('a'), sheet('one', 'x'), experience('gone')];
    const lines: PartLine[] = [
      episode('x', 0),
      episode('y', 1),
      episode('__proto__', 2),
      { kind: 'memory', index: 0, sample_id: 'x', memory: head(2, 'one'), entries },
      {
        kind: 'memory',
        index: 2,
        sample_id: '__proto__',
        memory: head(1, 'old'),
        entries: [experience('z')],
      },
    ];
    const saved = await written('sample', { lines, loaded: begun });
    const memories = Object.entries((saved as PerSampleMemories).memories);
    expect(memories.map(([id]) => id)).toEqual(['x', 'y', '__proto__']);
    expect(memories[0]?.[1]).toEqual({
      _type: 'hybrid',
      cheatsheet: 'one',
      versions: [
        { version: 1, content: 'old' },
        { version: 2, sample_id: 'x', trial: 0, content: 'one' },
      ],
      experiences: [experience('loaded'), experience('a')],
    });
    // Its lane left no memory: it was cut off before it ended.
    expect(memories[1]?.[1]).toEqual(begun);
    expect(memories[2]?.[1]).toMatchObject({ experiences: [experience('loaded'), experience('z')] });
  });

  test('begins the lanes of a later run: a head with the sizes, each sample its own', async () => {
    const perSample = { _type: 'per_sample', memories: { x: begun } } as PerSampleMemories;
    expect(initialMemory(hybrid, begun, 'anything')).toEqual({
      _type: 'hybrid',
      entries: 0,
      cheatsheet: 'old',
      versions: 1,
      experiences: 1,
      newest: [experience('loaded')],
    });
    expect(initialMemory(hybrid, perSample, 'x')).toEqual(initialMemory(hybrid, begun, 'x'));
    expect(initialMemory(hybrid, perSample, 'y')).toBeNull();
    expect(initialMemory(hybrid, null, 'x')).toBeNull();
    expect(loadedParts(hybrid, perSample, 'x').experiences).toEqual([experience('loaded')]);
    expect(loadedParts(hybrid, perSample, 'y')).toEqual(NOTHING_SAVED);
  });
});
