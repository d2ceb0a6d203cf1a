import { openStore } from '../../storage/open.js';
import { commandCode } from '../../user-code/code-runner.js';
import type { CommandSpec } from '../kind.js';
import { checkLanguageModel } from './activities/check-language-model.js';
import { checkDataset } from './activities/dataset.js';
import { factsOfLoaded, keptMemory, memoryToBeginWith } from './activities/memory-file.js';
import { groupNotes } from './combinations.js';
import { environmentCode } from './environment-code.js';
import { inWords, LOADED_UNSEEN } from './in-words.js';
import type { Loaded } from './prompt-parts.js';
import type { RunConfig } from './schema.js';
import { checkOwnScorers } from './scorers/own-scorer.js';

/**
 * Returns what prompts can show of the memory that a run begins with: of its own copy if there is one. A file that
 * cannot be read here may be readable for the worker, which reports it if not.
 */
async function loadedMemorySeen(config: RunConfig, id: string): Promise<Loaded | null> {
  const { load_memory_path, results_dir } = config.output;
  if (load_memory_path === null) return null;
  try {
    const copy = await keptMemory(openStore(results_dir).within(id));
    return factsOfLoaded(config, copy ?? (await memoryToBeginWith(openStore, config)));
  } catch {
    return LOADED_UNSEEN;
  }
}

export const runCommand: CommandSpec<RunConfig> = {
  argument: ['<config>', 'a YAML file'],
  examples: [
    'reprise run experiment.yaml',
    'reprise run experiment.yaml --name real --set lm.model=openai/gpt-4.1-mini --set limits.max_cost_usd=1',
  ],
  check: async (config) => {
    await checkLanguageModel(config, { environment: process.env });
    await checkOwnScorers(commandCode(), config);
    const notes = await checkDataset(config, { environment: process.env }, environmentCode(commandCode()));
    return [...notes, ...groupNotes(config)];
  },
  says: async (config, { id }) => {
    const { sentences } = inWords(config, await loadedMemorySeen(config, id));
    return { before: sentences };
  },
};
