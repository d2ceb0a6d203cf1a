import type { RunActivities } from '../contracts/activities.js';
import type { WorkerDependencies } from './dependencies.js';
import { Lru } from './lru.js';
import { initialMemory, readMemory } from './memory-file.js';
import type { RunContexts } from './run-context.js';

/** The memory that `output.load_memory_path` names, read once a worker and run. */
export function createLoadMemory(
  runs: RunContexts,
  dependencies: WorkerDependencies,
): RunActivities['loadMemory'] {
  const loaded = new Lru<string, ReturnType<typeof readMemory>>(4);
  return async ({ run: uri, slot }) => {
    const run = await runs.get(uri);
    const { memory, output, runtime } = run.config;
    if (output.load_memory_path === null) return null;
    let reading = loaded.get(uri);
    if (reading === undefined) {
      reading = readMemory(dependencies.openStore, output.load_memory_path, memory, runtime.memory_scope);
      loaded.set(uri, reading);
      reading.catch(() => loaded.delete(uri));
    }
    const saved = await reading;
    if (slot === undefined || saved._type !== 'per_sample') return saved as never;
    const { id } = await run.tasks.get(run.indexOfSlot(slot));
    return initialMemory(saved, id);
  };
}
