import { join } from 'node:path';
import { type LoadOptions, resolveConfig } from '../../src/config/load.js';
import { agentEvalConfigs } from '../../src/kinds/agent-eval/config.js';
import type { AgentEvalConfig } from '../../src/kinds/agent-eval/schema.js';
import { folderWith } from '../support/configs.js';

/** The least that a config has to say. The bundle is the root folder, because there has to be one. */
export const MINIMAL_AGENT_EVAL = { datasets: ['/'], models: { agent: { provider: 'simulated' } } };

/** The minimal config with other sections, resolved against `/configs`; no variable names a model. */
export function agentEvalConfigWith(
  sections: Record<string, unknown> = {},
  options: LoadOptions = {},
): AgentEvalConfig {
  const source = { source: 'it.yaml', folder: '/configs', fallbackName: 'it' };
  return resolveConfig(
    agentEvalConfigs,
    {
      ...MINIMAL_AGENT_EVAL,
      ...sections,
      models: { ...MINIMAL_AGENT_EVAL.models, ...(sections.models ?? {}) },
    },
    { ...source, workingFolder: '/work', environment: {}, ...options },
  );
}

/** A bundle's folder with the files that configs name, removed when the test ends. */
export function evaluationFolder(files: Record<string, string> = {}): {
  folder: string;
  at: (name: string) => string;
} {
  const folder = folderWith({ 'task.jsonl': '', 'more.jsonl': '', 'prompt.md': 'Be kind.', ...files });
  return { folder, at: (name) => join(folder, name) };
}
