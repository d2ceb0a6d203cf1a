import { fillInDates, PlaceholderError } from '../bundles/placeholders.js';
import type { AgentEvalConfig } from './agent-eval-schema.js';
import { InvalidInputError } from './errors.js';
import type { LanguageModelConfig } from './language-model-schema.js';
import { checkServer } from './named-files.js';
import { inputLocation, isRemote, requireFile, resolveLocation, resultsLocation } from './paths.js';
import { textOrFile } from './text-or-file.js';

function refuse(field: string, message: string): never {
  throw new InvalidInputError(`${field}: ${message}`, field);
}

function bundlePath(given: string, index: number, folder: string): string {
  const field = `datasets[${index}]`;
  const path = resolveLocation(given, folder, field);
  if (isRemote(path)) refuse(field, `${path}: a bundle has modules, so it lies on the worker’s machine`);
  if (/\.ya?ml$/.test(path)) {
    refuse(field, `${given} is a config, not a bundle; name it before the options`);
  }
  requireFile(path, field, 'code');
  return path;
}

/** Dates are written out for each row, by its own time. */
function refuseUnknownDates(system_prompt: string): void {
  try {
    fillInDates(system_prompt, new Date(0).toISOString());
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    refuse('agent.system_prompt', error.message);
  }
}

function refuseTwice(values: readonly string[], section: string): void {
  for (const [index, value] of values.entries()) {
    const first = values.indexOf(value);
    if (first !== index) refuse(`${section}[${index}]`, `${value} is ${section}[${first}] once more`);
  }
}

/**
 * Makes every path absolute against the YAML's folder, reads the system prompt, and checks that inputs exist. A
 * `results_dir` that the config does not give is `results` in the working folder.
 * @throws InvalidInputError that names the field and the place that was looked at.
 */
export function resolveAgentEvalPaths(
  config: AgentEvalConfig,
  folders: { config: string; working: string; resultsGiven: boolean },
): AgentEvalConfig {
  const result = structuredClone(config);
  const model = (lm: LanguageModelConfig, section: string): void => {
    lm.script = inputLocation(lm.script, `${section}.lm.script`, folders.config);
    lm.recording = inputLocation(lm.recording, `${section}.lm.recording`, folders.config);
    checkServer(`${section}.lm.base_url`, lm.base_url);
  };
  const { agent, user, output } = result;
  result.datasets = result.datasets.map((dataset, index) => bundlePath(dataset, index, folders.config));
  refuseTwice(result.datasets, 'datasets');
  refuseTwice(result.rows ?? [], 'rows');
  model(agent.lm, 'agent');
  if (user !== null && user !== 'human') model(user.lm, 'user');
  if (agent.system_prompt !== null) {
    agent.system_prompt = textOrFile(agent.system_prompt, folders.config, 'agent.system_prompt');
    refuseUnknownDates(agent.system_prompt);
  }
  output.results_dir = resultsLocation(output.results_dir, folders);
  return result;
}
