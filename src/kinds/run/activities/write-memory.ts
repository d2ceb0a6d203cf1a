import { replyOf } from '../../../activities/call-record.js';
import { locate, type OpenStore } from '../../../activities/locate.js';
import { outputLocation } from '../../../config/paths.js';
import type { CallRecord } from '../../../contracts/language-model.js';
import { asError } from '../../../contracts/run-user-code.js';
import { buildMemory } from '../../../memory/factory.js';
import type { JournalEntry, MemorySnapshot } from '../../../memory/memory-module.js';
import { grownParts, isJournaled, type SavedParts, savedParts, savedText } from '../../../memory/saved.js';
import type { LanePorts } from '../../../runtime/ports.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { copyArtifact } from '../../../storage/copy-artifact.js';
import { jsonLines, readableJson } from '../../../storage/json-lines.js';
import { artifactKeys } from '../../../storage/paths.js';
import { readJson } from '../../../storage/stored-file.js';
import { agentFactory, memoryFactory } from '../agent-factory.js';
import { Lane } from '../lane/lane.js';
import { newLane } from '../lane/lane-state.js';
import { vectorRows } from './embeddings.js';
import { executionResult } from './execution-record.js';
import { readJournal } from './journal-file.js';
import {
  initialMemory,
  type LoadedMemory,
  loadedParts,
  type PerSampleMemories,
  vectorsBeside,
} from './memory-file.js';
import type { EpisodeLine, MemoryLine, MergedParts } from './part-file.js';
import type { RunContext } from './run-context.js';

/** Stores that a memory is written to: the run's folder, and any other place. */
interface Stores {
  store: ArtifactStore;
  openStore: OpenStore;
}

/** Returns a memory at its end: what was loaded, and the entries that its head counts. */
function grown(loaded: SavedParts, head: MemorySnapshot, entries: readonly JournalEntry[]): SavedParts {
  return grownParts(loaded, entries.slice(0, head.entries as number));
}

function recordedCall(line: EpisodeLine, purpose: string, ordinal: number): CallRecord {
  const call = line.calls.find((record) => record.purpose === purpose && record.ordinal === ordinal);
  // The call failed when the episode ran, so the episode fails now, too.
  if (call === undefined) throw new Error('the call has no record');
  return call;
}

function recordedPorts(
  run: RunContext,
  lines: readonly EpisodeLine[],
  { createAgent, createMemory }: Pick<LanePorts, 'createAgent' | 'createMemory'>,
): LanePorts {
  const { runtime } = run.config;
  let begun = 0;
  let trial = 0;
  let steps = 0;
  const line = () => lines[trial] as EpisodeLine;
  return {
    rules: {
      num_trials: runtime.num_trials,
      early_stop_on_success: false,
      carry_memory_across_trials: runtime.carry_memory_across_trials,
      max_steps_per_episode: runtime.max_steps_per_episode,
      reset_each_trial: true,
      step_with_reply: false,
    },
    // Only the recorded trials run; the agent is given the planned number of trials.
    mayProceed: async (boundary) => boundary === 'step' || begun++ < lines.length,
    openSample: async (_slot, number) => {
      trial = number;
      steps = 0;
      return { index: line().index, id: line().row.id, state: null, obs: line().steps[0]?.obs ?? '' };
    },
    step: async () => {
      const step = line().steps[steps++];
      if (step === undefined)
        return { error: line().row.error ?? { type: 'Error', message: 'no such step' } };
      const { feedback, reward, done } = step;
      return { state: null, obs: line().steps[steps]?.obs ?? null, feedback, reward, done };
    },
    generate: async ({ purpose, ordinal }) => replyOf(recordedCall(line(), purpose, ordinal)),
    execute: async ({ ordinal }) => {
      const execution = line().executions?.find((record) => record.ordinal === ordinal);
      if (execution === undefined) throw new Error('the program has no record');
      return executionResult(execution);
    },
    createAgent,
    createMemory,
    record: () => undefined,
    now: () => 0,
    isInterruption: () => false,
    describeError: (error) => ({ type: 'Error', message: asError(error).message }),
  };
}

/**
 * Rebuilds the memory that a sample of its own ended with: runs its episodes again in the same lane and agent, with the
 * recorded steps and replies. So a run's history need not carry a memory for every sample.
 */
export async function memoryOfSample(
  run: RunContext,
  lines: readonly EpisodeLine[],
  initial: MemorySnapshot | null,
): Promise<MemorySnapshot> {
  const createAgent = await agentFactory(run.config.agent);
  const createMemory = await memoryFactory(run.config.memory);
  const lane = new Lane(newLane(0, 1, initial), recordedPorts(run, lines, { createAgent, createMemory }));
  await lane.run();
  return lane.snapshot().memory as MemorySnapshot;
}

async function* ofSample(
  run: RunContext,
  lines: readonly EpisodeLine[],
  end: MemoryLine | undefined,
  loaded: LoadedMemory,
): AsyncGenerator<string> {
  const { memory } = run.config;
  const { id } = (lines[0] as EpisodeLine).row;
  const head = end?.memory as MemorySnapshot | undefined;
  if (!isJournaled(memory._type)) {
    yield JSON.stringify(head ?? (await memoryOfSample(run, lines, initialMemory(memory, loaded, id))));
    return;
  }
  const parts = loadedParts(memory, loaded, id);
  yield* savedText(memory._type, head === undefined ? parts : grown(parts, head, end?.entries ?? []));
}

async function* perSample(run: RunContext, parts: MergedParts): AsyncGenerator<string> {
  const loaded = await run.loadedMemory();
  const ends = new Map<number, MemoryLine>();
  for await (const line of parts.memories()) ends.set(line.index, line);
  yield '{"_type":"per_sample","memories":{';
  let separator = '\n';
  for await (const lines of parts.samples()) {
    const { index, row } = lines[0] as EpisodeLine;
    // A memory is loaded by its sample's id, so one epoch is saved.
    if (run.epochOf(index) > 0) continue;
    yield `${separator}${JSON.stringify(row.id)}:`;
    yield* ofSample(run, lines, ends.get(index), loaded);
    separator = ',\n';
  }
  yield '\n}}\n';
}

async function* shared(run: RunContext, parts: MergedParts, execution: string): AsyncGenerator<string> {
  const { memory } = run.config;
  const loaded = await run.loadedMemory();
  let head: MemorySnapshot | null = null;
  for await (const line of parts.memories()) head = line.memory as MemorySnapshot;
  if (!isJournaled(memory._type)) {
    const empty = () => (memory._type === 'own' ? { _type: 'own' } : buildMemory(memory).snapshot());
    yield readableJson(head ?? empty());
    return;
  }
  const begun = loadedParts(memory, loaded, '');
  const { entries } = await readJournal(run.store, { execution, lane: 0 });
  yield* savedText(memory._type, head === null ? begun : grown(begun, head, entries));
  yield '\n';
}

/** Reads the observations of every experience in `memory.json`. */
async function observations(run: RunContext): Promise<Set<string>> {
  const { memory, runtime } = run.config;
  const saved = await readJson<NonNullable<LoadedMemory>>(run.store, artifactKeys.memory);
  if (saved === null) return new Set();
  const memories =
    saved._type === 'per_sample' && runtime.memory_scope === 'sample'
      ? Object.values((saved as PerSampleMemories).memories)
      : [saved as MemorySnapshot];
  return new Set(memories.flatMap((one) => savedParts(memory, one).experiences.map(({ obs }) => obs)));
}

/**
 * Writes the vectors of a saved memory, so that a run that loads it need not pay for them again. An experience that was
 * never indexed has none: nothing is paid for here, because the run's figures are final.
 */
async function writeVectors(run: RunContext, { store: own, openStore }: Stores): Promise<void> {
  const { memory, output } = run.config;
  if (!('retrieval' in memory) || memory.retrieval.backend !== 'embedding') return;
  const files = run.vectorFiles(memory.retrieval);
  const known = await run.knownVectors(memory.retrieval);
  const texts = await observations(run);
  const rows = vectorRows(memory.retrieval, { files, texts, known });
  await own.writeStream(artifactKeys.vectors, jsonLines(rows));
  if (output.save_memory_path === null) return;
  const beside = locate(openStore, vectorsBeside(output.save_memory_path));
  await copyArtifact({ store: own, key: artifactKeys.vectors }, beside);
}

/** Writes `memory.json`, and a copy to `output.save_memory_path` if that is set. */
export async function writeMemory(
  run: RunContext,
  parts: MergedParts,
  { execution, ...stores }: Stores & { execution: string },
): Promise<void> {
  const { store: own, openStore } = stores;
  const { runtime, output } = run.config;
  const content = () =>
    runtime.memory_scope === 'sample' ? perSample(run, parts) : shared(run, parts, execution);
  await own.writeStream(artifactKeys.memory, content());
  if (output.save_memory_path !== null) {
    outputLocation(output.save_memory_path, 'output.save_memory_path', process.cwd(), ['.json']);
    const { store, key } = locate(openStore, output.save_memory_path);
    await store.writeStream(key, content());
  }
  await writeVectors(run, stores);
}
