import { join } from 'node:path';
import { type LoadOptions, resolveConfig } from '../../src/config/load.js';
import { evolveConfigs } from '../../src/kinds/evolve/config.js';
import type { EvolveConfig } from '../../src/kinds/evolve/schema.js';
import { folderWith } from '../support/configs.js';

/** The least that an evolution's config has to say. */
export const MINIMAL_EVOLUTION = {
  task_prompt: 'Solve the puzzle.',
  domain: { name: 'game24' },
  data: { generate: {} },
  models: { scaffolder: { provider: 'simulated' } },
};

/** The minimal config with other sections, resolved against `/configs` from the working folder `/work`. */
export function evolveConfigWith(
  sections: Record<string, unknown> = {},
  options: LoadOptions = {},
): EvolveConfig {
  return resolveConfig(
    evolveConfigs,
    {
      ...MINIMAL_EVOLUTION,
      ...sections,
      models: { ...MINIMAL_EVOLUTION.models, ...(sections.models ?? {}) },
    },
    { source: 'evolve.yaml', folder: '/configs', fallbackName: 'evolve', workingFolder: '/work', ...options },
  );
}

/** A folder with the files that configs name, removed when the test ends. */
export function evolutionFolder(files: Record<string, string> = {}): {
  folder: string;
  at: (name: string) => string;
} {
  const folder = folderWith({
    'task.md': 'Make 24.\n',
    'train.jsonl': '{"id":"a","input":"4 7 8 8"}\n',
    'valid.jsonl': '{"id":"b","input":"1 1 11 11"}\n',
    'test.jsonl': '{"id":"c","input":"2 3 4 5"}\n',
    'score.ts': 'export const score = () => 1;\n',
    'script.yaml': '- reply: x\n',
    ...files,
  });
  return { folder, at: (name) => join(folder, name) };
}
