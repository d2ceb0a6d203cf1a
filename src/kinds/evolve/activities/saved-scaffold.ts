import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { checkModel } from '../../../activities/check-model.js';
import type { OpenStore } from '../../../activities/locate.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { FlagValues } from '../../../config/flags.js';
import { editedConfig } from '../../../config/load.js';
import { modelFiles } from '../../../config/model-files.js';
import { modelNameOf } from '../../../config/model-name.js';
import { parseConfig } from '../../../config/parse-config.js';
import { resolveLocation } from '../../../config/paths.js';
import { invalidConfig } from '../../../config/read-config.js';
import { refuseSecrets } from '../../../config/secrets.js';
import { isMapping } from '../../../contracts/json.js';
import { withoutTrailing } from '../../../contracts/trailing.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { artifactKeys } from '../../../storage/paths.js';
import { readStoredConfig } from '../../../storage/stored-config.js';
import { readJson } from '../../../storage/stored-file.js';
import { evolveConfigs } from '../config.js';
import { bestFolder, experimentFiles, scaffoldFolder, scaffoldSupportFiles } from '../evolution/layout.js';
import { type Lineage, nodeOf } from '../evolution/lineage.js';
import { MAIN_FILE, type ScaffoldFiles, type ScaffoldMetadata } from '../evolution/types.js';
import { newestFolderOf } from '../folder.js';
import { evolveConfigSchema, modelsSchema } from '../schema.js';
import { filesBelow } from './scaffold-files.js';

/** Settings with which a saved scaffold is run and scored. */
const savedSchema = evolveConfigSchema
  .pick({
    models: true,
    executor: true,
    timeout_sec: true,
    sandbox: true,
    limits: true,
    seed: true,
    domain: true,
  })
  .extend({ models: modelsSchema.pick({ executor: true }) })
  .partial({ domain: true });
type SavedSettings = ReturnType<typeof savedSchema.parse>;

/** Scaffold that was saved, wherever it is now. */
export interface SavedScaffold {
  /** Address of its folder. */
  address: string;
  files: ScaffoldFiles;
  settings: SavedSettings;
  /** Experiment whose folder it is in; null where it was taken out of it. */
  experiment: ArtifactStore | null;
}

/** Request for a saved scaffold, with other settings. */
export interface SavedRequest {
  /** A scaffold's folder or file, an experiment's folder, or an experiment's name. */
  named: string;
  /** Id of one of the experiment's scaffolds; null: the best one. */
  id: string | null;
  /** Folder in which experiments are found by name. */
  results: string;
  flags: FlagValues;
  overrides: readonly string[];
}

/** Folders from a scaffold up to its experiment: iterations/2/scaffolds/new/0-1. */
const DEEPEST = 5;

/**
 * Finds a scaffold, and the settings it was run with: those of its experiment where it is in one, else the model that
 * its `metadata.json` names, with the defaults of a config.
 * @throws InvalidInputError that says what does not exist, or which setting is wrong.
 */
export async function findScaffold(openStore: OpenStore, request: SavedRequest): Promise<SavedScaffold> {
  const address = await addressOf(openStore, request);
  const store = openStore(address);
  const files = await filesBelow(store);
  const metadata = await readJson<Partial<ScaffoldMetadata>>(store, scaffoldSupportFiles.metadata);
  const experiment = await experimentAbove(openStore, address);
  return { address, files, experiment, settings: await settingsOf(request, metadata, experiment) };
}

async function addressOf(openStore: OpenStore, { named, id, results }: SavedRequest): Promise<string> {
  const place = withoutTrailing(named, /[\\/]/);
  const isAddress = /[\\/:]/.test(named) || /^\.+$/.test(place);
  const found = resolveLocation(place, process.cwd());
  if (isAddress || existsSync(found)) {
    const folder = basename(found) === MAIN_FILE ? dirname(found) : found;
    const store = openStore(folder);
    if (id === null && (await store.exists(MAIN_FILE))) return folder;
    if (await store.exists(artifactKeys.config)) return inExperiment(store, id);
    if (isAddress) {
      throw new InvalidInputError(
        `${folder} holds neither a scaffold (${MAIN_FILE}) nor an experiment (${artifactKeys.config})`,
      );
    }
  }
  const folder = await newestFolderOf(openStore(results), place);
  if (folder !== null) return inExperiment(openStore(results).within(folder), id);
  throw new InvalidInputError(
    `there is no experiment '${place}' in ${results}, and no scaffold or experiment of that name here; name its folder, or the folder of results with --results-dir`,
  );
}

/** Finds a scaffold. @param id null: the best one. */
async function inExperiment(store: ArtifactStore, id: string | null): Promise<string> {
  const lineage = await readJson<Lineage>(store, experimentFiles.lineage);
  const isThere = (folder: string) => store.exists(`${folder}/${MAIN_FILE}`);
  if (id === null) {
    if (await isThere(bestFolder())) return `${store.uri}/${bestFolder()}`;
    throw new InvalidInputError(
      `${store.uri} has no best scaffold so far; name one of its scaffolds with --scaffold`,
    );
  }
  const isKnown = lineage?.nodes.some((node) => node.id === id) === true;
  const folder = isKnown ? scaffoldFolder(nodeOf(lineage.nodes, id).iteration, 'new', id) : null;
  if (folder !== null && (await isThere(folder))) return `${store.uri}/${folder}`;
  throw new InvalidInputError(`--scaffold: ${store.uri} has no program of a scaffold ${id}`, 'scaffold');
}

async function experimentAbove(openStore: OpenStore, address: string): Promise<ArtifactStore | null> {
  let folder = address;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    // The root, or the scheme before a bucket.
    if (/^(?:\w+:\/*)?$/.test(folder)) return null;
    const store = openStore(folder);
    if ((await store.exists(artifactKeys.config)) && (await store.exists(experimentFiles.metadata)))
      return store;
  }
  return null;
}

async function settingsOf(
  { flags, overrides }: SavedRequest,
  metadata: Partial<ScaffoldMetadata> | null,
  experiment: ArtifactStore | null,
): Promise<SavedSettings> {
  const working = process.cwd();
  const stored = experiment === null ? null : await readStoredConfig(experiment);
  const { executor, timeout_sec, sandbox, seed, domain, models } = stored ?? {};
  const { executor: used = null } = isMapping(models) ? models : {};
  // Its limits are left out: they were the experiment's.
  const model = metadata?.model ?? null;
  const own = model === modelOf(used) ? {} : { executor_model: model ?? 'none' };
  const source = { source: 'the command line', folder: working };
  const raw = editedConfig(
    evolveConfigs,
    withoutAbsent({ models: { executor: used }, executor, timeout_sec, sandbox, seed, domain }),
    source,
    { flags: { ...own, ...withoutAbsent(flags) }, overrides },
  );
  refuseSecrets(raw);
  const parsed = parseConfig(savedSchema, raw);
  if (!parsed.success) {
    throw invalidConfig(parsed.error, raw, source.source, evolveConfigs.jsonSchema(), () => '');
  }
  const settings = structuredClone(parsed.data);
  if (settings.limits.max_wall_seconds !== null) {
    throw new InvalidInputError(
      'limits.max_wall_seconds: is for experiments; timeout_sec bounds each execution here',
      'limits.max_wall_seconds',
    );
  }
  const lm = settings.models.executor;
  if (lm !== null) {
    modelFiles(lm, 'models.executor', working);
    await checkModel(lm, 'models.executor', settings.limits, process.env);
  }
  return settings;
}

function withoutAbsent(section: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined));
}

/** Returns `provider/model` of a model in a config; null where there is none. */
function modelOf(lm: unknown): string | null {
  if (!isMapping(lm) || typeof lm.model !== 'string') return null;
  return typeof lm.provider === 'string'
    ? modelNameOf({ provider: lm.provider as never, model: lm.model })
    : lm.model;
}
