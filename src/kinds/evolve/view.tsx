import { Changes, FEW_CHANGES } from '../../reports/code.js';
import { compareFiles } from '../../reports/diff.js';
import type { Section } from '../../reports/page.js';
import { errorSection } from '../../reports/report.js';
import type { Outcome } from '../../statistics/outcomes.js';
import type { ArtifactStore } from '../../storage/artifact-store.js';
import { artifactKeys } from '../../storage/paths.js';
import { readJson } from '../../storage/stored-file.js';
import type { KindView, ViewedUnit } from '../kind.js';
import { readScaffold } from './activities/scaffold-files.js';
import { experimentFiles } from './evolution/layout.js';
import type { Lineage, LineageNode } from './evolution/lineage.js';
import { MAIN_FILE, type ScaffoldFiles } from './evolution/types.js';
import { EVOLVE_FACTS } from './facts.js';
import { Evolution } from './report.js';
import type { EvolveMetrics } from './results.js';

interface Viewed {
  evolution: Evolution;
  nodes: readonly LineageNode[];
}

/** Reads an evolution, in progress or ended; null before its first iteration has ended. */
async function evolutionOf(store: ArtifactStore, hrefOf: ViewedUnit['hrefOf']): Promise<Viewed | null> {
  const [lineage, metrics] = await Promise.all([
    readJson<Lineage>(store, experimentFiles.lineage),
    readJson<EvolveMetrics>(store, artifactKeys.metrics),
  ]);
  if (lineage === null) return null;
  const { nodes } = lineage;
  return { evolution: new Evolution(metrics ?? soFar(lineage), nodes, (id) => hrefOf(id)), nodes };
}

/** Returns what metrics say of an evolution at its end, of one in progress. */
function soFar({ nodes, best }: Lineage): ConstructorParameters<typeof Evolution>[0] {
  const scores = nodes.flatMap(({ valid }) => valid);
  const iterations = 1 + Math.max(-1, ...scores.map(({ iteration }) => iteration));
  return {
    status: 'stopped',
    iterations,
    best: best === null ? null : { ...best, path: '', test_score: null },
    best_by_iteration: Array.from({ length: iterations }, (_, iteration) => {
      const of = scores.filter((one) => one.iteration === iteration).map(({ score }) => score);
      return of.length === 0 ? null : Math.max(...of);
    }),
  };
}

async function filesOf(store: ArtifactStore, node: LineageNode | undefined): Promise<ScaffoldFiles | null> {
  if (node === undefined || node.status === 'failed') return null;
  const files = await readScaffold(store, { iteration: node.iteration, generation: 'new', id: node.id });
  return Object.keys(files).length === 0 ? null : files;
}

/** Returns the sections of a scaffold: its scores, and its code beside its parent's. */
async function scaffoldSections({ store, id, hrefOf }: ViewedUnit): Promise<Section[]> {
  const viewed = await evolutionOf(store, hrefOf);
  const node = viewed?.nodes.find((one) => one.id === id);
  if (viewed == null || node === undefined) return [];
  const parent = viewed.nodes.find((one) => one.id === node.parent_scaffold_id);
  const [files, before] = await Promise.all([filesOf(store, node), filesOf(store, parent)]);
  const children = viewed.nodes.filter(({ parent_scaffold_id }) => parent_scaffold_id === id);
  return [
    {
      id: 'scaffold',
      title: 'Scaffold',
      content: (
        <>
          {viewed.evolution.facts(node, {})}
          {parent !== undefined && viewed.evolution.gain(node, parent)}
          {children.length > 0 && (
            <p>
              Evolved from it:{' '}
              {children.map((child, index) => [index > 0 && ', ', viewed.evolution.link(child.id)])}
            </p>
          )}
        </>
      ),
    },
    {
      id: 'code',
      title: 'Code',
      heading: before === null ? 'Code' : `Code, and what changed from ${parent?.id}`,
      content:
        files === null ? (
          viewed.evolution.noCode(node)
        ) : (
          <Changes changes={compareFiles(files, before, MAIN_FILE)} options={FEW_CHANGES} />
        ),
    },
  ];
}

export const evolveView: KindView<EvolveMetrics> = {
  unit: 'scaffold',
  unitOf: (call) => call.split('/')[0] ?? call,
  // An evolution has no rows of samples: its table is that of its scaffolds.
  outcomeOf: (row): Outcome => row,
  report: (metrics) => ({
    metrics,
    facts: EVOLVE_FACTS,
    kind: 'Evolution',
    changes: metrics.code_changes ?? [],
    what: 'iterations',
    sections: [errorSection(metrics, 'scaffold')],
  }),
  sections: async (store, hrefOf) => (await evolutionOf(store, hrefOf))?.evolution.sections() ?? [],
  unitSections: scaffoldSections,
};
