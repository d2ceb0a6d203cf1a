import { InvalidInputError } from '../../config/errors.js';
import type { EvolveConfig } from '../../config/evolve-schema.js';
import { customDomain } from '../../evolution/domains/custom.js';
import type { Domain, DomainServices } from '../../evolution/domains/domain.js';
import { builtInDomain } from '../../evolution/domains/registry.js';
import type { CodeTexts } from '../../user-code/code-texts.js';
import { isLoaded, loadUserModule } from '../user-modules.js';

/**
 * The domain of a config: a built-in one, or what the user's file exports.
 * @param begunWith what is loaded of the user's files, whatever they say now
 * @throws InvalidInputError that names `domain.file` or `domain.options`.
 */
export async function evolveDomain(
  { domain }: Pick<EvolveConfig, 'domain'>,
  services: DomainServices,
  begunWith?: CodeTexts,
): Promise<Domain> {
  if (domain.name === 'custom') {
    const field = 'domain.file';
    const file = domain.file as string;
    const { ownScorers } = services;
    // The command, its worker and each context of it come here, often in one process.
    if (!isLoaded(file, begunWith)) await ownScorers?.tried(file, begunWith);
    const loaded = await loadUserModule(file, field, begunWith);
    const own = named(field, `${file}: `, () => customDomain(loaded));
    return ownScorers === undefined ? own : { ...own, score: ownScorers.scorer(file, begunWith) };
  }
  const { name, options } = domain;
  return named('domain.options', '', () => builtInDomain(name, options, services));
}

function named(field: string, what: string, make: () => Domain): Domain {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    throw new InvalidInputError(`${field}: ${what}${error.message}`, field);
  }
}
