import { describe, expect, test } from 'vitest';
import { keepFinishedSamples } from '../../../../src/kinds/run/activities/keep-finished.js';
import { MergedParts, writePart } from '../../../../src/kinds/run/activities/part-file.js';
import { everyPartPrefix, partKey } from '../../../../src/kinds/run/paths.js';
import type { PartLine } from '../../../../src/kinds/run/results.js';
import { collect, episodeLine, keys, temporaryStore } from '../../../activities/support.js';
import { experience } from '../../../memory/support.js';
import { configOf } from '../../../support/configs.js';
import { row } from '../../../support/rows.js';

const memoryOf = (index: number): PartLine => ({
  kind: 'memory',
  index,
  sample_id: `s${index}`,
  memory: { _type: 'hybrid', cheatsheet: '', versions: 0, experiences: 1, newest: [], entries: 1 },
  entries: [experience(`of s${index}`)],
});
const episode = (index: number, trial = 0): PartLine =>
  episodeLine(index, trial, { row: row(`s${index}`, trial, 'no') });

const config = (num_trials: number, type: string) =>
  configOf({
    runtime: { memory_scope: 'sample', num_trials },
    agent: { type, ...(type === 'dynamic_cheatsheet_agent' ? { mode: 'dynamic_retrieval' } : {}) },
  });

async function continued(parts: PartLine[][], given = config(1, 'dynamic_cheatsheet_agent')) {
  const store = await temporaryStore();
  for (const [number, lines] of parts.entries())
    await writePart(store, partKey('earlier', number, 'w0'), lines);
  const kept = await keepFinishedSamples(store, given, { execution: 'now', continues: true });
  return { kept: [...kept.indices], store };
}

describe('a continued run whose samples have a journaled memory each', () => {
  test('keeps a sample whose memory was written, in whatever part', async () => {
    const { kept } = await continued([
      [episode(0), memoryOf(0), episode(1), episode(2)],
      [memoryOf(2), episode(3)],
    ]);
    expect(kept).toEqual([0, 2]);
  });

  test('does the others again: their memory cannot be made from their rows', async () => {
    const { kept } = await continued([[episode(0)]], config(1, 'memory_agent'));
    expect(kept).toEqual([0]);
    expect((await continued([[episode(0)]])).kept).toEqual([]);
  });

  test('does not take the memory of a cut-off sample for a finished one', async () => {
    const { kept } = await continued(
      [[episode(0, 0), memoryOf(0), episode(1, 0), episode(1, 1), memoryOf(1)]],
      config(2, 'dynamic_cheatsheet_agent'),
    );
    expect(kept).toEqual([1]);
  });

  test('moves the memories of those it keeps along with their rows, and no other', async () => {
    const { store } = await continued([
      Array.from({ length: 100 }, (_, index) => [episode(index), memoryOf(index)]).flat(),
      [episode(100)],
    ]);
    const parts = await keys(store, everyPartPrefix());
    expect(parts.every((key) => key.includes('/now/'))).toBe(true);
    const merged = await MergedParts.open(store, parts);
    const memories = await collect(merged.memories());
    expect(memories).toEqual(Array.from({ length: 100 }, (_, index) => memoryOf(index)));
    expect(await collect(merged.samples())).toHaveLength(100);
  });
});
