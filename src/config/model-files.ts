import { isMapping } from '../contracts/json.js';
import { InvalidInputError } from './errors.js';
import type { LanguageModelConfig } from './language-model-schema.js';
import { checkServer } from './named-files.js';
import { inputLocation, isRemote, requireFile, resolveLocation } from './paths.js';
import { readYaml } from './read-config.js';
import { problemOfFormat } from './response-format.js';

/** Returns the JSON Schema of replies, given as such or as a file. @throws InvalidInputError */
function formatOf(
  given: string | Record<string, unknown>,
  provider: string,
  field: string,
  folder: string,
): Record<string, unknown> {
  const refuse = (what: string) => new InvalidInputError(`${field}: ${what}`, field);
  let schema: unknown = given;
  if (typeof given === 'string') {
    const path = resolveLocation(given, folder, field);
    if (isRemote(path)) throw refuse(`${path}: a JSON Schema is a mapping, or a file of this machine`);
    requireFile(path, field);
    schema = readYaml(path, field);
    if (!isMapping(schema)) throw refuse(`${path} is no mapping, and so no JSON Schema of a reply`);
  }
  const problem = problemOfFormat(schema as Record<string, unknown>, provider);
  if (problem !== null) throw refuse(problem);
  return schema as Record<string, unknown>;
}

/**
 * Reads what a model's section names: makes its paths absolute, replaces a file of a JSON Schema with its content, and
 * checks that its server may be named.
 * @param section such as `models.agent`
 */
export function modelFiles(lm: LanguageModelConfig, section: string, folder: string): void {
  lm.script = inputLocation(lm.script, `${section}.script`, folder);
  lm.recording = inputLocation(lm.recording, `${section}.recording`, folder);
  checkServer(`${section}.base_url`, lm.base_url);
  if (lm.response_format !== undefined) {
    lm.response_format = formatOf(lm.response_format, lm.provider, `${section}.response_format`, folder);
  }
}
