import { stringify } from 'yaml';
import type { OpenStore } from '../../src/activities/locate.js';
import { type EvolveData, writeEvolveData } from '../../src/kinds/evolve/activities/evolve-data.js';
import type { EvolveState, ScaffoldNode } from '../../src/kinds/evolve/contracts.js';
import { scaffoldFile, scoringPath } from '../../src/kinds/evolve/evolution/layout.js';
import { chooseEvolveFolder, type EvolveFolderOptions } from '../../src/kinds/evolve/folder.js';
import { evolveStateKey, scaffoldRunKey } from '../../src/kinds/evolve/paths.js';
import type { EvolveMetrics } from '../../src/kinds/evolve/results.js';
import type { EvolveConfig } from '../../src/kinds/evolve/schema.js';
import type { ArtifactStore } from '../../src/storage/artifact-store.js';
import { callKey } from '../../src/storage/paths.js';
import { evolveConfigWith } from '../config/evolve-support.js';

export const NOW = '2026-01-31T23:59:59.500Z';
export const FOLDER = 'evolve_20260131_235959';
export const DATA: EvolveData = {
  train: [{ id: 't', input: '1 2 3 4', scoring_data: {} }],
  valid: [{ id: 'v', input: '4 7 8 8', scoring_data: {} }],
  test: [],
};

/** A config that goes so far. */
export const to = (num_iterations: number, sections: Record<string, unknown> = {}): EvolveConfig =>
  evolveConfigWith({ evolution: { num_iterations }, ...sections });

const node = (id: string, iteration: number): ScaffoldNode => ({
  id,
  parent_scaffold_id: id.includes('-') ? id.slice(0, id.lastIndexOf('-')) : null,
  iteration,
  status: 'new',
  train: [],
  valid: [],
});

/** An experiment whose iteration n made scaffold n, with a call and a run of it, up to `finished`. */
export async function experiment(
  store: ArtifactStore,
  config: EvolveConfig,
  { finished, done, data = DATA }: { finished: number; done?: Partial<EvolveMetrics>; data?: EvolveData },
): Promise<void> {
  await writeEvolveData(store, data);
  await store.write('config.yaml', stringify(config));
  for (let iteration = 0; iteration <= finished; iteration++) {
    const id = String(iteration);
    await store.write(scaffoldFile(iteration, 'new', id), `# ${id}`);
    await store.write(scoringPath(iteration), '{}');
    const records = [
      { sample_id: id, purpose: 'generate' },
      { sample_id: `${id}/${iteration + 1}/valid/v/abc`, purpose: 'executor' },
    ];
    for (const record of records) {
      await store.write(callKey(`${record.purpose}-${id}`), JSON.stringify({ record, answer: null }));
    }
    await store.write(scaffoldRunKey(`run-${id}`), JSON.stringify({ scaffold: id, iteration, key: id }));
    const nodes = Array.from({ length: iteration + 1 }, (_, made) => node(String(made), made));
    const state: Partial<EvolveState> = { next_iteration: iteration + 1, nodes };
    await store.write(evolveStateKey(iteration), JSON.stringify(state));
  }
  if (done !== undefined) await store.write('metrics.json', JSON.stringify(done));
}

export const ended = (num_iterations: number): Partial<EvolveMetrics> => ({ status: 'done', num_iterations });

export interface FolderSubject {
  /** An empty results folder of its own for each call. */
  makeResults: () => Promise<ArtifactStore>;
  openStore: OpenStore;
}

/** The chosen folder's name and what becomes of it. */
export async function choice(
  results: ArtifactStore,
  config: EvolveConfig,
  options: EvolveFolderOptions = { data: DATA },
): Promise<[string, string]> {
  const { experiment: name, state } = await chooseEvolveFolder(results, config, NOW, options);
  return [name, state];
}
