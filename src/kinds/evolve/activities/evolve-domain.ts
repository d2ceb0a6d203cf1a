import { InvalidInputError } from '../../../config/errors.js';
import type { Domain, DomainServices } from '../evolution/domains/domain.js';
import { builtInDomain } from '../evolution/domains/registry.js';
import { ownDomain } from '../own-domain.js';
import type { EvolveConfig } from '../schema.js';

/**
 * Creates the domain of a config: a built-in one, or that of the user's file.
 * @throws InvalidInputError that names `domain.file` or `domain.options`.
 */
export async function evolveDomain(
  { domain }: Pick<EvolveConfig, 'domain'>,
  services: DomainServices,
): Promise<Domain> {
  const { name, options } = domain;
  if (name === 'custom') return (services.ownDomain ?? ownDomain)(domain.file as string);
  try {
    return builtInDomain(name, options, services);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    throw new InvalidInputError(`domain.options: ${error.message}`, 'domain.options');
  }
}
