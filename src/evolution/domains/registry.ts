import type { JsonObject } from '../../contracts/json.js';
import type { BUILT_IN_DOMAINS } from '../../contracts/names.js';
import { circlePacking } from './circle-packing.js';
import { crosswordsDomain } from './crosswords.js';
import type { Domain, DomainServices } from './domain.js';
import { equationBalancer } from './equation-balancer.js';
import { game24 } from './game24.js';
import { mcq } from './mcq.js';
import { numericDomain } from './numeric.js';

/** `custom` is a file of the user's (see ./custom.ts). */
export type DomainName = (typeof BUILT_IN_DOMAINS)[number];

/**
 * A built-in domain.
 * @param options crosswords: `mode`, `strict` (the default) or `lenient`. The others have none.
 * @throws RangeError that names the option.
 */
export function builtInDomain(name: DomainName, options: JsonObject, services: DomainServices): Domain {
  const { mode = 'strict', ...others } = options;
  const [unknown] = Object.keys(name === 'crosswords' ? others : options);
  if (unknown !== undefined) throw new RangeError(`the domain ${name} has no option ${unknown}`);
  switch (name) {
    case 'crosswords':
      if (mode !== 'strict' && mode !== 'lenient') throw new RangeError('mode must be strict or lenient');
      return crosswordsDomain(mode);
    case 'mcq':
      return mcq;
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
