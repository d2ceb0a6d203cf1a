import type { EvolveConfig } from './evolve-schema.js';
import type { LanguageModelConfig } from './language-model-schema.js';
import { checkSandbox, checkServer } from './named-files.js';
import { inputLocation, resultsLocation } from './paths.js';
import { textOrFile } from './text-or-file.js';

/**
 * Makes every path absolute against the YAML's folder, reads the task prompt, and checks that inputs exist. A
 * `results_dir` that the config does not give is `experiments` in the working folder.
 * @throws InvalidInputError that names the field and the place that was looked at.
 */
export function resolveEvolvePaths(
  config: EvolveConfig,
  folders: { config: string; working: string; resultsGiven: boolean },
): EvolveConfig {
  const input = <Location extends string | null | undefined>(
    location: Location,
    field: string,
    use?: 'read' | 'code',
  ) => inputLocation(location, field, folders.config, use);
  const model = (lm: LanguageModelConfig, section: string): void => {
    lm.script = input(lm.script, `${section}.lm.script`);
    lm.recording = input(lm.recording, `${section}.lm.recording`);
    checkServer(`${section}.lm.base_url`, lm.base_url);
  };
  const result = structuredClone(config);
  const { data, domain, scaffolder, executor, output } = result;
  result.task_prompt = textOrFile(result.task_prompt, folders.config, 'task_prompt');
  domain.file = input(domain.file, 'domain.file', 'code');
  data.train = input(data.train, 'data.train');
  data.valid = input(data.valid, 'data.valid');
  data.test = input(data.test, 'data.test');
  model(scaffolder.lm, 'scaffolder');
  if (executor !== null) model(executor.lm, 'executor');
  output.results_dir = resultsLocation(output.results_dir, folders);
  checkSandbox(result);
  return result;
}
