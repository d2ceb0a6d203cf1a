import { LRUCache } from 'lru-cache';
import { loadedOnce } from '../../../activities/loaded-once.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLine } from '../../../storage/json-lines.js';
import { damagedFile, readRows } from '../../../storage/stored-file.js';
import { parseTrajectory } from '../../../trajectories/evaluated-trajectory.js';
import type { Trajectory } from '../../../trajectories/trajectory.js';
import { judgedChunkKey } from '../paths.js';

/** Trajectories in one object of the store, which is loaded as a whole: each may have megabytes of chats. */
const TRAJECTORIES_PER_CHUNK = 8;
const CHUNKS_IN_MEMORY = 8;

/** Trajectory with a name that is unique within the judgement. */
export interface NamedTrajectory {
  name: string;
  trajectory: Trajectory;
}

/** Trajectories of a judgement, as `prepareJudge` wrote them. Chunks are read when needed. */
export class JudgedTrajectories {
  private readonly chunks = new LRUCache<number, Promise<NamedTrajectory[]>>({ max: CHUNKS_IN_MEMORY });

  constructor(private readonly store: ArtifactStore) {}

  async get(index: number): Promise<NamedTrajectory> {
    const number = Math.floor(index / TRAJECTORIES_PER_CHUNK);
    const chunk = await loadedOnce(this.chunks, number, () => this.read(number));
    const found = chunk[index % TRAJECTORIES_PER_CHUNK];
    if (found === undefined)
      throw damagedFile(this.store, judgedChunkKey(number), `it has no trajectory ${index}`);
    return found;
  }

  private async read(number: number): Promise<NamedTrajectory[]> {
    const key = judgedChunkKey(number);
    const found: NamedTrajectory[] = [];
    for await (const row of readRows<{ name: string; trajectory: unknown }>(this.store, key)) {
      found.push({ name: row.name, trajectory: parseTrajectory(row.trajectory) });
    }
    return found;
  }
}

/**
 * Writes trajectories in chunks, each named by its episode's id, or else by its row. Returns the number of steps of
 * each.
 */
export async function writeJudgedTrajectories(
  store: ArtifactStore,
  trajectories: AsyncIterable<Trajectory>,
): Promise<number[]> {
  const steps: number[] = [];
  const names = new Set<string>();
  let lines: string[] = [];
  const flush = async () => {
    if (lines.length === 0) return;
    await store.write(
      judgedChunkKey(Math.floor((steps.length - 1) / TRAJECTORIES_PER_CHUNK)),
      lines.join(''),
    );
    lines = [];
  };
  for await (const trajectory of trajectories) {
    const row = `row ${steps.length + 1}`;
    const id = trajectory.episode_id ?? row;
    const name = names.has(id) ? `${id} (${row})` : id;
    names.add(name);
    lines.push(jsonLine({ name, trajectory }));
    steps.push(trajectory.timesteps.length);
    if (steps.length % TRAJECTORIES_PER_CHUNK === 0) await flush();
  }
  await flush();
  return steps;
}
