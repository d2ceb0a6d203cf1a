import { dirname, resolve } from 'node:path';
import { InvalidInputError } from '../../config/errors.js';
import {
  type Flag,
  fieldFlag,
  idsIn,
  limitFlag,
  numberFlag,
  numeric,
  resultsDirFlag,
  sampleIdFlag,
  sectionOf,
} from '../../config/flags.js';
import { allow, makeOptional, type SchemaNode, schemaOf } from '../../config/json-schema.js';
import type { ConfigKind, Folders, WrittenConfig } from '../../config/kind.js';
import { readModelRole } from '../../config/model-roles.js';
import { resolveLocation, resultsLocation } from '../../config/paths.js';
import { readYaml } from '../../config/read-config.js';
import { isMapping } from '../../contracts/json.js';
import { KINDS } from '../registry.js';
import { NAMES } from './index.js';
import { MAX_CELLS, type SweepConfig, sweepConfigSchema } from './schema.js';

function refuse(field: string, message: string): never {
  throw new InvalidInputError(`${field}: ${message}`, field);
}

/**
 * Reads the config of the cells where it is named by its file. Its limits and its folder of results become those of the
 * sweep, unless that has its own.
 */
function writeOut(raw: WrittenConfig, folder: string): WrittenConfig {
  const { config: given } = raw;
  let place = typeof raw.folder === 'string' ? raw.folder : folder;
  let config = given;
  if (typeof given === 'string') {
    const path = resolveLocation(given, folder, 'config');
    config = readYaml(path, 'config');
    place = dirname(path);
    if (!isMapping(config)) refuse('config', `${path} is no mapping, and so no config`);
  }
  if (!isMapping(config)) return raw;
  const { limits, output } = config;
  const results = isMapping(output) ? output.results_dir : undefined;
  const own = sectionOf(raw, 'output');
  return {
    ...raw,
    config,
    folder: resolve(folder, place),
    ...(raw.limits === undefined && limits !== undefined && { limits }),
    ...(own.results_dir === undefined &&
      typeof results === 'string' && {
        output: { ...own, results_dir: resolveLocation(results, place, 'output.results_dir') },
      }),
  };
}

/** Returns the command of a config. @throws InvalidInputError if it is not clear */
function commandOf({ command, config }: Pick<SweepConfig, 'config'> & { command?: string | undefined }) {
  const able = KINDS.filter((kind) => kind.parts === undefined);
  if (command !== undefined) {
    if (able.some(({ id }) => id === command)) return command;
    refuse('command', `there is no ${command} to vary, only ${able.map(({ id }) => id).join(', ')}`);
  }
  const [found, ...others] = able.filter((kind) => kind.recognises(config));
  if (found !== undefined && others.length === 0) return found.id;
  return refuse(
    'command',
    `is missing: the config could be of several commands, or of none; name it, e.g. run`,
  );
}

function finish(config: SweepConfig, folders: Folders): SweepConfig {
  const { grid, repeats, output } = config;
  const cells = Object.values(grid).reduce((count, { length }) => count * length, repeats);
  if (cells > MAX_CELLS)
    refuse('grid', `these are ${cells} cells with ${repeats} repeats; the limit is ${MAX_CELLS}`);
  if (cells < 2) refuse('grid', 'there is one cell only; give a field several values, or set repeats');
  return {
    ...config,
    command: commandOf(config),
    output: { ...output, results_dir: resultsLocation(output.results_dir, folders) },
  };
}

function jsonSchema(): SchemaNode {
  const schema = schemaOf('Reprise config of a sweep', sweepConfigSchema);
  makeOptional(schema, 'folder');
  allow(schema, 'config', { type: 'string', minLength: 1 });
  return schema;
}

/** Creates a flag whose values are those of a field of the grid. */
function gridFlag(
  option: string,
  description: string,
  axes: (values: readonly string[]) => WrittenConfig,
): Flag {
  return {
    option,
    description,
    isRepeatable: true,
    fields: [],
    apply: (raw, values) => {
      raw.grid = { ...sectionOf(raw, 'grid'), ...axes(values as readonly string[]) };
    },
  };
}

/** Makes a flag of the cells one of the sweep: its value, the same for all of them, is in the grid by the flag's name. */
function cellFlag(flag: Flag, name: string, read: (value: unknown) => unknown): Flag {
  return {
    ...flag,
    fields: [],
    apply: (raw, value) => {
      raw.grid = { ...sectionOf(raw, 'grid'), [name]: [read(value)] };
    },
  };
}

/** Returns fields of the grid for `role=model`, given several times. */
function roleAxes(values: readonly string[]): WrittenConfig {
  const axes: Record<string, string[]> = {};
  for (const text of values) {
    const { role, model } = readModelRole(text, []);
    axes[`models.${role}`] = [...(axes[`models.${role}`] ?? []), model];
  }
  return axes;
}

/** Configs of sweeps. */
export const sweepConfigs: ConfigKind<SweepConfig> = {
  ...NAMES,
  sections: 'config, grid, repeats, limits and output',
  example: 'lm.temperature=0,0.7',
  rows: 'config',
  inFlight: 'cells',
  atOnce: 'cells',
  flags: {
    name: fieldFlag('--name <name>', 'name of the sweep and of its folder', 'name'),
    results_dir: resultsDirFlag(),
    model: gridFlag('--model <provider/model>', 'a model to vary; give several', (model) => ({ model })),
    model_role: gridFlag(
      '--model-role <role=provider/model>',
      'a model of another role; give several',
      roleAxes,
    ),
    limit: cellFlag(limitFlag('limit'), 'limit', numeric),
    sample_id: cellFlag(sampleIdFlag(), 'sample_id', (ids) => idsIn(ids as readonly string[])),
    repeats: numberFlag('--repeats <n>', 'cells of each combination (1)', 'repeats'),
    concurrency: numberFlag('--concurrency <n>', 'cells at once (4)', 'concurrency'),
  },
  // Those of its cells are in their own configs.
  models: { roles: {} },
  writeOut,
  schema: () => sweepConfigSchema,
  jsonSchema,
  finish,
  modelsOf: () => ({}),
  pace: { concurrency: 'concurrency', fixed: ['limits', 'output'], free: ['name'] },
};
