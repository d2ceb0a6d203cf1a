import type { JsonObject } from '../../../../contracts/json.js';
import type { BUILT_IN_DOMAINS } from '../../contracts.js';
import { circlePacking } from './circle-packing.js';
import { crosswordsDomain } from './crosswords.js';
import type { Domain, DomainServices } from './domain.js';
import { equationBalancer } from './equation-balancer.js';
import { game24 } from './game24.js';
import { mcqDomain } from './mcq.js';
import { numericDomain } from './numeric.js';

/** Built-in domains; `custom` is a user's file (see ./custom.ts). */
export type DomainName = (typeof BUILT_IN_DOMAINS)[number];

/**
 * Creates a built-in domain.
 * @param options crosswords: `mode`, `strict` (the default) or `lenient`. mcq: `target_base`, the index of the first
 *   choice, 0 or 1. The others have none.
 * @throws RangeError that names the option.
 */
export function builtInDomain(name: DomainName, options: JsonObject, services: DomainServices): Domain {
  const { mode = 'strict', target_base = null } = options;
  const known = name === 'crosswords' ? 'mode' : name === 'mcq' ? 'target_base' : null;
  const unknown = Object.keys(options).find((option) => option !== known);
  if (unknown !== undefined) throw new RangeError(`the domain ${name} has no option ${unknown}`);
  switch (name) {
    case 'crosswords':
      if (mode !== 'strict' && mode !== 'lenient') throw new RangeError('mode must be strict or lenient');
      return crosswordsDomain(mode);
    case 'mcq':
      if (target_base !== null && target_base !== 0 && target_base !== 1)
        throw new RangeError('target_base must be 0 or 1');
      return mcqDomain(target_base);
    case 'numeric':
      return numericDomain(services);
    case 'game24':
      return game24;
    case 'equation_balancer':
      return equationBalancer;
    case 'circle_packing':
      return circlePacking;
  }
}
