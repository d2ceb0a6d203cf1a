import { InvalidInputError } from '../config/errors.js';
import type { MemoryConfig } from '../config/memory-schemas.js';
import type { Json } from '../contracts/json.js';
import { buildMemory, MemoryFormatError } from '../memory/factory.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { artifactKeys } from '../storage/paths.js';
import type { EpisodeLine, MergedParts } from './part-file.js';
import { memoryOfSample } from './rebuild-memory.js';
import type { RunContext } from './run-context.js';

type OpenStore = (uriOrPath: string) => ArtifactStore;

/** A file given by its whole address, as a store and a key. */
export function locate(openStore: OpenStore, address: string): { store: ArtifactStore; key: string } {
  const slash = Math.max(address.lastIndexOf('/'), address.lastIndexOf('\\'));
  return { store: openStore(slash < 1 ? '/' : address.slice(0, slash)), key: address.slice(slash + 1) };
}

/** `memory.json` of a run with `memory_scope: sample`: a memory a sample. */
export interface PerSampleMemories {
  _type: 'per_sample';
  memories: Record<string, MemorySnapshot>;
}

async function* perSample(run: RunContext, parts: MergedParts, openStore: OpenStore): AsyncGenerator<string> {
  const { config } = run;
  const path = config.output.load_memory_path;
  const loaded = path === null ? null : await readMemory(openStore, path, config.memory, 'sample');
  yield '{"_type":"per_sample","memories":{';
  let separator = '\n';
  for await (const lines of parts.samples()) {
    const { id } = (lines[0] as EpisodeLine).row;
    const memory = await memoryOfSample(run, lines, initialMemory(loaded, id));
    yield `${separator}${JSON.stringify(id)}:${JSON.stringify(memory)}`;
    separator = ',\n';
  }
  yield '\n}}\n';
}

/** What a sample's lane begins with: its own memory of a saved run, or the one that all share. */
export function initialMemory(
  loaded: MemorySnapshot | PerSampleMemories | null,
  id: string,
): MemorySnapshot | null {
  if (loaded?._type !== 'per_sample') return loaded as MemorySnapshot | null;
  const { memories } = loaded as PerSampleMemories;
  return Object.hasOwn(memories, id) ? (memories[id] as MemorySnapshot) : null;
}

async function* shared(run: RunContext, parts: MergedParts): AsyncGenerator<string> {
  let memory: Json = buildMemory(run.config.memory).snapshot();
  for await (const line of parts.memories()) memory = line.memory;
  yield `${JSON.stringify(memory, null, 2)}\n`;
}

/** Writes `memory.json`, and the same to `output.save_memory_path` where that is set. */
export async function writeMemory(run: RunContext, parts: MergedParts, openStore: OpenStore): Promise<void> {
  const { runtime, output } = run.config;
  const content = () =>
    runtime.memory_scope === 'sample' ? perSample(run, parts, openStore) : shared(run, parts);
  await run.store.writeStream(artifactKeys.memory, content());
  if (output.save_memory_path !== null) {
    const { store, key } = locate(openStore, output.save_memory_path);
    await store.writeStream(key, content());
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
    throw new InvalidInputError(`${field}: ${address} is not JSON: ${(error as Error).message}`, field);
  }
  if (typeof saved !== 'object' || saved === null) {
    throw new InvalidInputError(`${field}: ${address} holds no memory`, field);
  }
  const perSampleFile = saved._type === 'per_sample';
  if (perSampleFile && scope === 'run') {
    throw new InvalidInputError(
      `${field}: ${address} holds a memory for each sample; it can be loaded with runtime.memory_scope: sample`,
      field,
    );
  }
  try {
    const memories = perSampleFile
      ? Object.values((saved as PerSampleMemories).memories)
      : [saved as MemorySnapshot];
    for (const memory of memories) buildMemory(config, memory);
  } catch (error) {
    if (!(error instanceof MemoryFormatError) && !(error instanceof TypeError)) throw error;
    throw new InvalidInputError(`${field}: ${address}: ${error.message}`, field);
  }
  return saved;
}
