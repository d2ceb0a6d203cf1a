import { fileURLToPath } from 'node:url';
import { InvalidInputError } from '../../config/errors.js';
import type { FlagValues } from '../../config/flags.js';
import type { ConfigKind } from '../../config/kind.js';
import { resolveConfig } from '../../config/load.js';
import { roleOfField } from '../../config/model-roles.js';
import { apiOf } from '../../config/providers.js';
import type { Limits } from '../../contracts/experiment.js';
import type { Json } from '../../contracts/json.js';
import { experimentFolderName } from '../../storage/paths.js';
import type { Kind } from '../kind.js';
import { kindOf } from '../registry.js';
import type { SweepCell } from './contracts.js';
import { repeatFolder } from './paths.js';
import type { SweepConfig } from './schema.js';

/** Longest part of a cell's name that says its settings. */
const LONGEST_SETTINGS = 50;

/** Returns all combinations of the values, those of the last field change fastest. */
function combinations(grid: SweepConfig['grid']): Record<string, Json>[] {
  return Object.entries(grid).reduce<Record<string, Json>[]>(
    (settings, [field, values]) =>
      settings.flatMap((setting) => values.map((value) => ({ ...setting, [field]: value as Json }))),
    [{}],
  );
}

/** Formats a value for a cell's name: a model without its provider, and of anything longer the beginning. */
function nameOfValue(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(text.lastIndexOf('/') + 1);
}

/** Lists the cells of a sweep: all combinations of the first repeat, then those of the second one. */
export function cellsOf(
  { grid, repeats }: Pick<SweepConfig, 'grid' | 'repeats'>,
  sweep: string,
): SweepCell[] {
  const settings = combinations(grid);
  const varied = Object.entries(grid).flatMap(([field, { length }]) => (length > 1 ? [field] : []));
  const taken = new Set<string>();
  return Array.from({ length: repeats }, (_, repeat) =>
    settings.map((setting, index): SweepCell => {
      const values = varied.map((field) => nameOfValue(setting[field] as Json)).join('_');
      const own = `${values.slice(0, LONGEST_SETTINGS)}${repeats === 1 ? '' : `_r${repeat + 1}`}`;
      let name = experimentFolderName(`${sweep}-${own === '' ? 'only' : own}`);
      // Values that differ in what a folder's name cannot hold.
      if (taken.has(name)) name = `${name}-${index + 1}`;
      taken.add(name);
      return { name, settings: setting, repeat };
    }),
  ).flat();
}

/** Loads the kind of a sweep's cells. @throws InvalidInputError if there is none of this name, or it has no cells. */
export async function kindOfCells({ command, repeats }: SweepConfig): Promise<Kind> {
  const kind = await kindOf(command)?.kind();
  if (kind === undefined || kindOf(command)?.parts !== undefined) {
    throw new InvalidInputError(`command: '${command}' starts nothing that a sweep could vary`, 'command');
  }
  if (repeats > 1 && kind.config.flags.name === undefined) {
    throw new InvalidInputError(
      `repeats: ${kind.config.noun} has the name of what is asked, so that it cannot be repeated; leave repeats out`,
      'repeats',
    );
  }
  return kind;
}

/** Returns the flags and assignments that give a config the settings of a cell. */
function given({ flags, models }: ConfigKind, { settings }: SweepCell) {
  const values: Record<string, unknown> = {};
  const roles: string[] = [];
  const overrides: string[] = [];
  for (const [field, value] of Object.entries(settings)) {
    const role = typeof value === 'string' ? roleOfField(field, models) : null;
    if (role !== null) roles.push(`${role}=${value}`);
    else if (field in flags && !['name', 'results_dir', 'model_role'].includes(field)) values[field] = value;
    else overrides.push(`${field}=${JSON.stringify(value)}`);
  }
  return { flags: { ...values, ...(roles.length > 0 && { model_role: roles }) } as FlagValues, overrides };
}

interface Seeded {
  seed?: number;
}

/** Returns the config of a cell. @param folder address of the sweep's folder @throws InvalidInputError that names it */
export function configOfCell(
  { config: kind }: Kind,
  sweep: SweepConfig,
  cell: SweepCell,
  folder: string,
): object & { limits: Limits } {
  const { flags, overrides } = given(kind, cell);
  const place = folder.startsWith('file:') ? fileURLToPath(folder) : folder;
  const own = {
    ...(kind.flags.name !== undefined && { name: cell.name }),
    ...(kind.flags.results_dir !== undefined && { results_dir: `${place}/${repeatFolder(cell.repeat)}` }),
  };
  const config = resolveConfig(kind, structuredClone(sweep.config), {
    source: `the cell ${cell.name}`,
    folder: sweep.folder,
    workingFolder: sweep.folder,
    fallbackName: cell.name,
    flags: { ...flags, ...own },
    overrides,
  }) as object & Seeded & { limits: Limits };
  if (config.seed !== undefined) config.seed += cell.repeat;
  // Cells of different seeds are independent draws, as repeats are.
  const sharing = (sweep.grid.seed?.length ?? 1) > 1 ? 'seed' : 'runs';
  for (const lm of Object.values(kind.modelsOf(config))) {
    if (lm.seed !== undefined) lm.seed += cell.repeat;
    // Replies of the others cost nothing, and depend on more than the request.
    if (sweep.share_calls && lm.cache === false && apiOf(lm.provider) !== undefined) lm.cache = sharing;
  }
  config.limits = sweep.limits;
  return config;
}
