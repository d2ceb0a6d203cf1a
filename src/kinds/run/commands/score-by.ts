import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { carryingOut, sayExit } from '../../../cli/carry-out.js';
import { EXIT } from '../../../cli/exit.js';
import { carriedOut, detach } from '../../../cli/experiment.js';
import { headedTable } from '../../../cli/format.js';
import { textsOf } from '../../../cli/paired-text.js';
import { printJson, printText } from '../../../cli/print.js';
import { InvalidInputError } from '../../../config/errors.js';
import { resolveConfig } from '../../../config/load.js';
import { modelNameOf } from '../../../config/model-name.js';
import { readYaml } from '../../../config/read-config.js';
import { isMapping } from '../../../contracts/json.js';
import type { TaskRow } from '../../../contracts/results.js';
import { compareExperiments, type ScoreComparison } from '../../../statistics/comparison.js';
import { pValueText } from '../../../statistics/figure-text.js';
import { comparedSamples } from '../../../statistics/outcomes.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLines } from '../../../storage/json-lines.js';
import { openStore } from '../../../storage/open.js';
import { artifactKeys } from '../../../storage/paths.js';
import { shownAddress } from '../../../storage/shown-address.js';
import { readStoredConfig } from '../../../storage/stored-config.js';
import { missingFile } from '../../../storage/stored-file.js';
import { loadKind } from '../../registry.js';
import { actionsOf, rowsOf } from '../activities/rescore.js';
import { runComparison } from '../comparison.js';
import { runConfigs } from '../config.js';
import type { RunResult } from '../contracts.js';
import { judgeOf } from '../models.js';
import { actionsKey } from '../paths.js';
import type { RunConfig } from '../schema.js';
import { SCORER_TYPES, writtenScorers } from '../scorers/schema.js';

/** Options of scoring a finished run by other scorers. */
export interface ScoreByOptions {
  scorer: string[];
  set: string[];
  name?: string;
  detach?: boolean;
  json?: boolean;
}

/**
 * Returns scorers as a config has them: of a YAML file with `scorers`, of the run's config by name, or by type.
 * @throws InvalidInputError
 */
function namedScorers(names: readonly string[], ofRun: RunConfig['scorers']): Record<string, unknown> {
  const scorers: Record<string, unknown> = {};
  for (const name of names) {
    if (/\.(?:ya?ml|json)$/.test(name) && existsSync(name)) {
      const file = readYaml(name);
      const written = isMapping(file) && 'scorers' in file ? file.scorers : file;
      const found = writtenScorers(written);
      if (!isMapping(found)) throw new InvalidInputError(`--scorer ${name}: has no scorers`, 'scorers');
      Object.assign(scorers, found);
    } else if (Object.hasOwn(ofRun, name)) scorers[name] = ofRun[name];
    else if (SCORER_TYPES.includes(name)) scorers[name] = { type: name };
    else {
      const known = [...new Set([...Object.keys(ofRun), ...SCORER_TYPES])].join(', ');
      throw new InvalidInputError(
        `--scorer ${name}: is neither a YAML file with scorers nor one of ${known}`,
        'scorers',
      );
    }
  }
  return scorers;
}

/** Writes the actions of a run's rows as a recording. @returns its address */
async function writeActions(store: ArtifactStore): Promise<string> {
  await store.writeStream(
    actionsKey(),
    jsonLines(
      (async function* () {
        for await (const row of rowsOf(store)) {
          for (const [ordinal, text] of actionsOf(row).entries()) {
            yield { sample_id: row.id, trial: row.trial, purpose: 'act', ordinal, text };
          }
        }
      })(),
    ),
  );
  return `${placeOf(store)}/${actionsKey()}`;
}

const placeOf = ({ uri }: ArtifactStore) => (uri.startsWith('file:') ? fileURLToPath(uri) : uri);

/** Returns the config of a run with the tasks and the answers of another one, and with other scorers. */
async function configOf(store: ArtifactStore, { scorer, set, name }: ScoreByOptions): Promise<RunConfig> {
  const stored = (await readStoredConfig(store)) as RunConfig | null;
  if (stored === null) throw missingFile(store, artifactKeys.config);
  const place = placeOf(store);
  const scorers = namedScorers(scorer, stored.scorers ?? {});
  for (const one of Object.values(scorers)) {
    // The model of this run only repeats answers.
    if (isMapping(one) && one.type === 'model_graded' && one.panel === undefined) one.lm ??= judgeOf(stored);
  }
  const { items, dataset_path, hf_name, config, split, select, few_shot, shuffle, ...dataset } =
    stored.dataset;
  const { runtime, metrics, sandbox, seed, output } = stored;
  const named = name ?? `${basename(place)}-scored`;
  return resolveConfig(
    runConfigs,
    {
      name: named,
      runtime: { ...runtime, memory_scope: 'sample', max_envs_to_visit: null },
      dataset: { ...dataset, run: place },
      lm: { provider: 'replay', model: modelNameOf(stored.lm), recording: await writeActions(store) },
      agent: { type: 'history_agent', history_k: 0 },
      scorers,
      sandbox,
      metrics,
      output: { results_dir: dirname(place), log_level: output.log_level },
      seed,
    },
    { source: '--scorer', folder: process.cwd(), fallbackName: named, overrides: set },
  );
}

/** Difference of a score from what stood: the score of the same name, or else whether the answer was right. */
type StoodDifference = ScoreComparison & { stood: string };

/** Compares the scores of a run with what stood in the rows of the one whose answers it has. */
async function differences(
  before: ArtifactStore,
  after: ArtifactStore,
  cluster: string | null,
): Promise<StoodDifference[]> {
  const [old, rows]: [Map<string, TaskRow>, TaskRow[]] = [new Map(), []];
  const key = ({ id, trial }: TaskRow) => JSON.stringify([id, trial]);
  for await (const row of rowsOf(before)) old.set(key(row), row);
  for await (const row of rowsOf(after)) rows.push(row);
  const names = [...new Set(rows.flatMap(({ scores = {} }) => Object.keys(scores)))];
  const had = new Set([...old.values()].flatMap(({ scores = {} }) => Object.keys(scores)));
  const result: StoodDifference[] = [];
  for (const name of names) {
    const stood = had.has(name) ? name : 'correct';
    const side = async (outcomes: (row: TaskRow) => number | boolean | null | undefined) => ({
      figures: ['mean', 'last'] as const,
      samples: await comparedSamples(
        (async function* () {
          for (const row of rows) {
            const value = outcomes(row) ?? null;
            yield { ...runComparison.outcomeOf(row), scores: value === null ? null : { [name]: value } };
          }
        })(),
      ),
    });
    const stoodIn = (row: TaskRow | undefined) =>
      stood === 'correct' ? row?.feedback?.correct : row?.scores?.[name];
    const { scores } = compareExperiments(
      await side((row) => stoodIn(old.get(key(row)))),
      await side((row) => row.scores?.[name]),
      { cluster },
    );
    if (scores[0] !== undefined) result.push({ ...scores[0], stood });
  }
  return result;
}

function differenceTable(all: readonly StoodDifference[]): string {
  const rows = all.map(
    ({ score, stood, is_share, pairs, baseline, other, difference, interval, test, better, worse }) => {
      if (baseline === null || other === null || difference === null)
        return [score, stood, '0', '–', '–', '–', '–', '–'];
      const texts = textsOf(is_share);
      const bounds =
        interval === null ? '' : ` [${texts.bound(interval.lower)}, ${texts.bound(interval.upper)}]`;
      return [
        score,
        stood,
        String(pairs),
        texts.value(baseline),
        texts.value(other),
        `${texts.difference(difference)}${bounds}`,
        test === null ? '–' : pValueText(test.p_value),
        `${better}, ${worse}`,
      ];
    },
  );
  return headedTable(
    ['score', 'stood', 'samples', 'before', 'now', 'difference [95 %]', 'p', 'higher, lower'],
    rows,
  );
}

/**
 * Scores the answers of a finished run by other scorers, as a run of its own that has its tasks and repeats its answers:
 * durable, and limited as any. @returns the exit code
 */
export async function scoreBy(store: ArtifactStore, options: ScoreByOptions): Promise<number> {
  const loaded = await loadKind('run');
  const config = await configOf(store, options);
  const json = options.json === true;
  const notes = await loaded.command.check(config);
  const asked = { ...loaded, config, notes, json };
  if (options.detach) return detach(asked);
  const carried = carriedOut(asked);
  const result = await carryingOut(carried, (carry) => carry(carried, () => undefined));
  if (result === null) return EXIT.interrupted;
  const { artifacts, metrics } = result as RunResult;
  const stood = await differences(store, openStore(artifacts), config.metrics.cluster);
  if (json) printJson({ artifacts, metrics, stood });
  else {
    printText(carried.report(result));
    printText(
      `\nAgainst what stood in ${shownAddress(store.uri)}, paired by sample:\n${differenceTable(stood)}`,
    );
  }
  return sayExit(metrics, carried);
}
