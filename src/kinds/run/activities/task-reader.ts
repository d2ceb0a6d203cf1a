import { LRUCache } from 'lru-cache';
import { loadedOnce } from '../../../activities/loaded-once.js';
import type { Task } from '../../../contracts/environment.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { jsonLine } from '../../../storage/json-lines.js';
import { damagedFile, readRows } from '../../../storage/stored-file.js';
import { taskChunkKey } from '../paths.js';
import { TaskHash } from './task-hash.js';

/** Tasks in one object of the store. */
const TASKS_PER_CHUNK = 256;
const CHUNKS_IN_MEMORY = 16;

/** Reader of a run's tasks, as `prepareRun` wrote them. Chunks are read when needed. */
export class TaskReader {
  private readonly chunks = new LRUCache<number, Promise<Task[]>>({ max: CHUNKS_IN_MEMORY });

  constructor(private readonly store: ArtifactStore) {}

  async get(index: number): Promise<Task> {
    const number = Math.floor(index / TASKS_PER_CHUNK);
    const chunk = await loadedOnce(this.chunks, number, () => this.read(number));
    const task = chunk[index % TASKS_PER_CHUNK];
    if (task === undefined) throw damagedFile(this.store, taskChunkKey(number), `it has no task ${index}`);
    return task;
  }

  /** Yields every task in order. */
  async *all(count: number): AsyncGenerator<Task> {
    for (let number = 0; number * TASKS_PER_CHUNK < count; number++) yield* await this.read(number);
  }

  private async read(number: number): Promise<Task[]> {
    const key = taskChunkKey(number);
    const tasks: Task[] = [];
    for await (const task of readRows<Task>(this.store, key)) tasks.push(task);
    return tasks;
  }
}

/** Writes the tasks in chunks. Returns their number and their hash. */
export async function writeTasks(
  store: ArtifactStore,
  tasks: AsyncIterable<Task>,
): Promise<{ count: number; rows: string }> {
  const hash = new TaskHash();
  let count = 0;
  let lines: string[] = [];
  const flush = async () => {
    if (lines.length === 0) return;
    await store.write(taskChunkKey(Math.floor((count - 1) / TASKS_PER_CHUNK)), lines.join(''));
    lines = [];
  };
  for await (const task of tasks) {
    const line = jsonLine(task);
    hash.add(line);
    lines.push(line);
    count += 1;
    if (count % TASKS_PER_CHUNK === 0) await flush();
  }
  await flush();
  return { count, rows: hash.digest() };
}
