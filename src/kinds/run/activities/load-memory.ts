import { heartbeating } from '../../../activities/attempt-journal.js';
import type { RunActivities } from '../contracts.js';
import { initialMemory } from './memory-file.js';
import type { RunContexts } from './run-context.js';

/**
 * Creates the activity that returns the loaded memory, as copied when the run was prepared, for a lane to begin with.
 */
export function createLoadMemory(runs: RunContexts): RunActivities['loadMemory'] {
  return ({ run: uri, slot }) =>
    heartbeating(async () => {
      const run = await runs.get(uri);
      const loaded = await run.loadedMemory();
      if (loaded?._type !== 'per_sample') return initialMemory(run.config.memory, loaded, '');
      if (slot === undefined) return null;
      const { id } = await run.taskOf(run.indexOfSlot(slot));
      return initialMemory(run.config.memory, loaded, id);
    });
}
