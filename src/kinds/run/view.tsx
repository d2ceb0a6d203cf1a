import type { TaskRow } from '../../contracts/results.js';
import { Changes, FEW_CHANGES } from '../../reports/code.js';
import { compareFiles } from '../../reports/diff.js';
import type { Section } from '../../reports/page.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { artifactKeys } from '../../storage/paths.js';
import { readJson } from '../../storage/stored-file.js';
import type { KindView, LiveRow, ViewedUnit } from '../kind.js';
import { readPart } from './activities/part-file.js';
import { runComparison } from './comparison.js';
import { everyPartPrefix } from './paths.js';
import { runReport } from './report.js';
import type { Metrics } from './results.js';

/** The parts of `memory.json` that are shown, of every kind of memory. */
interface SavedMemory {
  entries?: MemoryEntry[];
  experiences?: MemoryEntry[];
  versions?: { version: number; sample_id?: string; trial?: number; content: string }[];
}

type MemoryEntry = Record<string, unknown> & { sample_id?: string; trial?: number };

/** Returns the section of what the memory was before and after a trial; none where it did not change. */
function memorySection(saved: SavedMemory | null, { id, trial }: ViewedUnit): Section[] {
  if (saved === null) return [];
  const isOwn = (entry: { sample_id?: string; trial?: number }) =>
    entry.sample_id === id && entry.trial === trial;
  const { versions = [] } = saved;
  const sheets = versions.flatMap((version, index) =>
    isOwn(version)
      ? [{ before: versions[index - 1]?.content ?? '', after: version.content, number: version.version }]
      : [],
  );
  const entries = [...(saved.entries ?? []), ...(saved.experiences ?? [])].filter(isOwn);
  if (sheets.length === 0 && entries.length === 0) return [];
  const content = (
    <>
      {sheets.map(({ before, after, number }) => (
        <Changes
          key={number}
          changes={compareFiles(
            { [`sheet, version ${number}`]: after },
            before === '' ? {} : { [`sheet, version ${number}`]: before },
          )}
          options={FEW_CHANGES}
        />
      ))}
      {entries.map(({ sample_id: _sample, trial: _trial, _type: type, ...entry }, index) => (
        <div class="entry" key={index}>
          {typeof type === 'string' && <h3>{type}</h3>}
          <dl>
            {Object.entries(entry).map(([name, value]) => (
              <div key={name}>
                {name !== 'content' && <dt>{name}</dt>}
                <dd class="text">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </>
  );
  return [{ id: 'memory', title: 'Memory', heading: 'Added to the memory', content }];
}

/** Reads the rows of finished episodes, from all executions so far. */
const liveRows = (store: ArtifactStore) => ({
  below: everyPartPrefix(),
  read: async (key: string): Promise<LiveRow[]> =>
    (await readPart(store, key)).flatMap((line) => {
      if (line.kind !== 'episode') return [];
      const { index: place, row, calls } = line;
      return [{ place, calls, row: { question: '', target: row.feedback?.target ?? null, ...row } }];
    }),
});

export const runView: KindView<Metrics, TaskRow> = {
  unit: 'sample',
  outcomeOf: runComparison.outcomeOf,
  report: (metrics) => runReport(metrics),
  liveRows,
  unitSections: async (unit) => {
    const own = unit.memory as SavedMemory | null | undefined;
    const saved = own === undefined ? await readJson<SavedMemory>(unit.store, artifactKeys.memory) : own;
    return memorySection(saved, unit);
  },
};
