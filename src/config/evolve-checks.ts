import { InvalidInputError } from './errors.js';
import type { EvolveConfig } from './evolve-schema.js';

function refuse(field: string, message: string): never {
  throw new InvalidInputError(`${field}: ${message}`, field);
}

function checkData({ data }: EvolveConfig): void {
  const files = (['train', 'valid', 'test'] as const).filter((key) => data[key] != null);
  if (data.generate !== undefined) {
    if (files.length > 0) {
      const named = files.map((key) => `data.${key}`).join(' and ');
      refuse('data.generate', `stands beside ${named}; give files or generate, not both`);
    }
    return;
  }
  for (const key of ['train', 'valid'] as const) {
    if (data[key] !== undefined) continue;
    const flag = `--${key}-data`;
    refuse(
      `data.${key}`,
      `is missing; name a file of JSON lines (${flag}), or let data.generate make examples`,
    );
  }
}

function checkDomain({ domain }: EvolveConfig): void {
  if (domain.name === 'custom' && domain.file === undefined) {
    refuse(
      'domain.file',
      'is missing; domain custom needs a TypeScript file that exports score(output, example)',
    );
  }
  if (domain.name !== 'custom' && domain.file !== undefined) {
    refuse('domain.file', `belongs to domain custom, but the domain is ${domain.name}`);
  }
  if (domain.name === 'custom' && Object.keys(domain.options).length > 0) {
    refuse('domain.options', 'a custom domain has none; write them in its file');
  }
}

/**
 * Refuses what each section allows but the config as a whole does not.
 * @throws InvalidInputError that names the field to change.
 */
export function checkEvolve(config: EvolveConfig): void {
  const { scaffolds_per_iter, initial_scaffolds } = config.evolution;
  if (scaffolds_per_iter > initial_scaffolds) {
    refuse(
      'evolution.scaffolds_per_iter',
      `${scaffolds_per_iter} scaffolds cannot be evolved in an iteration where there are ${initial_scaffolds} to begin with; lower it (--scaffolds-per-iter), or raise initial_scaffolds (--initial-scaffolds)`,
    );
  }
  checkData(config);
  checkDomain(config);
}
