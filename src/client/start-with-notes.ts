import type { Client } from '@temporalio/client';
import type { LoadedKind } from '../kinds/registry.js';
import { type Started, type StartOptions, startExperiment } from './start.js';
import { startedText } from './started-text.js';

/** Experiment that was started or found, and the sentences to print about it; the first one is `Started NAME`. */
export interface StartedWithNotes extends Started {
  says: [string, ...string[]];
}

/** Starts an experiment as {@link startExperiment} does. @param options.notes sentences from the check of its config */
export async function startWithNotes(
  client: Client,
  { kind, command }: LoadedKind,
  config: object,
  { notes = [], ...options }: StartOptions & { notes?: readonly string[] },
): Promise<StartedWithNotes> {
  const started = await startExperiment(client, kind, config, options);
  const own = await command.says?.(config, started);
  const says = startedText(started, {
    before: [...(own?.before ?? []), ...notes],
    after: own?.after ?? [],
    isRetriable: kind.retry !== undefined,
    facts: kind.facts,
  });
  return { ...started, says };
}
