import { locate, type OpenStore } from '../../../activities/locate.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { MemoryConfig } from '../../../config/memory-schemas.js';
import { quotable } from '../../../config/named-files.js';
import { isMapping, jsonFault } from '../../../contracts/json.js';
import { buildMemory, checkSaved, MemoryFormatError } from '../../../memory/factory.js';
import type { MemorySnapshot } from '../../../memory/memory-module.js';
import { headOf, isJournaled, NOTHING_SAVED, type SavedParts, savedParts } from '../../../memory/saved.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { artifactKeys } from '../../../storage/paths.js';
import { readJson } from '../../../storage/stored-file.js';
import { LOADED_UNSEEN } from '../in-words.js';
import { asLoaded, loadedFacts } from '../loaded.js';
import type { Loaded } from '../prompt-parts.js';
import type { RunConfig } from '../schema.js';

/** Content of `memory.json` of a run with `memory_scope: sample`: one memory per sample. */
export interface PerSampleMemories {
  _type: 'per_sample';
  memories: Record<string, MemorySnapshot>;
}

/** Returns the address of the file with the vectors of a saved memory. */
export function vectorsBeside(address: string): string {
  return `${address.replace(/\.json$/, '')}.vectors.jsonl`;
}

/** Memory that a run begins with; null if none is loaded. */
export type LoadedMemory = MemorySnapshot | PerSampleMemories | null;

/** Returns the saved memory that a sample's lane begins with: the sample's own, or the one that all share. */
function loadedFor(loaded: LoadedMemory, id: string): MemorySnapshot | null {
  if (loaded?._type !== 'per_sample') return loaded as MemorySnapshot | null;
  const { memories } = loaded as PerSampleMemories;
  return Object.hasOwn(memories, id) ? (memories[id] as MemorySnapshot) : null;
}

/** Returns the parts of the memory that a sample's lane begins with. */
export function loadedParts(config: MemoryConfig, loaded: LoadedMemory, id: string): SavedParts {
  const saved = loadedFor(loaded, id);
  return saved === null ? NOTHING_SAVED : savedParts(config, saved);
}

/** Returns the memory for a lane: all of it, or only the head if its entries are journaled. */
export function initialMemory(config: MemoryConfig, loaded: LoadedMemory, id: string): MemorySnapshot | null {
  const saved = loadedFor(loaded, id);
  if (saved === null || !isJournaled(config._type)) return saved;
  return headOf(config._type, savedParts(config, saved));
}

/** Checks a saved memory. @throws MemoryFormatError if it does not fit the config. */
function checkMemory(config: MemoryConfig, saved: MemorySnapshot): void {
  if (config._type === 'own') checkSaved(config, saved);
  else if (isJournaled(config._type)) savedParts(config, saved);
  else buildMemory(config, saved);
}

/** Checks a memory per sample. @throws MemoryFormatError that names the sample. */
function checkMemories(config: MemoryConfig, memories: unknown): void {
  if (!isMapping(memories))
    throw new MemoryFormatError('"memories" must be a mapping from samples to memories');
  for (const [id, memory] of Object.entries(memories)) {
    if (!isMapping(memory)) throw new MemoryFormatError(`sample ${id}: this is no memory`);
    try {
      checkMemory(config, memory as MemorySnapshot);
    } catch (error) {
      if (!(error instanceof MemoryFormatError)) throw error;
      throw new MemoryFormatError(`sample ${id}: ${error.message}`);
    }
  }
}

/**
 * Reads a memory that a run saved, and checks that this config can use it.
 * @throws InvalidInputError that names the field.
 */
export async function readMemory(
  openStore: OpenStore,
  address: string,
  config: MemoryConfig,
  scope: 'run' | 'sample',
): Promise<MemorySnapshot | PerSampleMemories> {
  const field = 'output.load_memory_path';
  const { store, key } = locate(openStore, address);
  const text = await store.readText(key);
  if (text === null) throw new InvalidInputError(`${field}: there is no file at ${address}`, field);
  let saved: MemorySnapshot | PerSampleMemories;
  try {
    saved = JSON.parse(text) as MemorySnapshot | PerSampleMemories;
  } catch (error) {
    const why = quotable((error as Error).message, jsonFault(error));
    throw new InvalidInputError(`${field}: ${address} is not JSON: ${why}`, field);
  }
  if (typeof (saved as { _type?: unknown } | null)?._type !== 'string') {
    throw new InvalidInputError(`${field}: ${address} holds no memory: there is no "_type"`, field);
  }
  const perSampleFile = saved._type === 'per_sample';
  if (perSampleFile && scope === 'run') {
    throw new InvalidInputError(
      `${field}: ${address} holds a memory for each sample; it can be loaded with runtime.memory_scope: sample`,
      field,
    );
  }
  try {
    if (perSampleFile) checkMemories(config, (saved as Partial<PerSampleMemories>).memories);
    else checkMemory(config, saved as MemorySnapshot);
  } catch (error) {
    if (!(error instanceof MemoryFormatError)) throw error;
    throw new InvalidInputError(`${field}: ${address}: ${error.message}`, field);
  }
  return saved;
}

/** Applies `make` to each memory that a run begins with. */
function eachMemory(
  loaded: NonNullable<LoadedMemory>,
  make: (memory: MemorySnapshot) => MemorySnapshot,
): NonNullable<LoadedMemory> {
  if (loaded._type !== 'per_sample') return make(loaded as MemorySnapshot);
  const { memories } = loaded as PerSampleMemories;
  const made = Object.entries(memories).map(([id, memory]) => [id, make(memory)] as const);
  return { _type: 'per_sample', memories: Object.fromEntries(made) };
}

/**
 * Reads the memory that `output.load_memory_path` names: marked as loaded, and with only those right answers that
 * `agent.feedback` lets the run remember. Returns null if none is named.
 * @throws InvalidInputError if the config cannot use it.
 */
export async function memoryToBeginWith(
  openStore: OpenStore,
  { output, memory, runtime, agent }: RunConfig,
): Promise<LoadedMemory> {
  if (output.load_memory_path === null) return null;
  const saved = await readMemory(openStore, output.load_memory_path, memory, runtime.memory_scope);
  // Only its class knows what a user's memory holds.
  if (memory._type === 'own') return saved;
  return eachMemory(saved, (one) => asLoaded(one, agent.feedback ?? 'full'));
}

/** Reads the copy of the loaded memory in a run's folder; null if there is none. */
export function keptMemory(store: ArtifactStore): Promise<LoadedMemory> {
  return readJson<NonNullable<LoadedMemory>>(store, artifactKeys.loadedMemory);
}

/** Returns what prompts can show of the loaded memory; null if none is loaded. */
export function factsOfLoaded({ agent, memory }: RunConfig, loaded: LoadedMemory): Loaded | null {
  if (loaded === null) return null;
  if (memory._type === 'own') return LOADED_UNSEEN;
  const memories =
    loaded._type === 'per_sample'
      ? Object.values((loaded as PerSampleMemories).memories)
      : [loaded as MemorySnapshot];
  return loadedFacts({ agent, memory }, memories);
}
