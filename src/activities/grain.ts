import { byUnitText } from '../facts/text.js';
import type { WorkerDependencies } from './dependencies.js';

/** Where units run: each call a step of a workflow, whole units in workers, or by their number. */
export type Grain = 'auto' | 'call' | 'unit';

/**
 * Returns the fields of a plan that say whether workers run bundles of units; none where each call is a step of the
 * workflow. Without a server nobody does.
 * @param grain of the config
 * @param units number of those that are due, and from which on an experiment is not watched call by call
 */
export function grainOf(
  { runsUnits = false }: Pick<WorkerDependencies, 'runsUnits'>,
  grain: Grain,
  { due, many, nouns }: { due: number; many: number; nouns: string },
): { grain?: 'unit'; means?: readonly string[] } {
  const isByUnit = grain === 'unit' || (grain === 'auto' && due >= many);
  if (!runsUnits || !isByUnit) return {};
  const why = grain === 'unit' ? 'the config says so' : `there are ${due}`;
  return { grain: 'unit', means: [byUnitText(nouns, why)] };
}
