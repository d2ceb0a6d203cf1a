import { basename, dirname, extname, resolve } from 'node:path';
import { InvalidInputError } from '../../config/errors.js';
import { sectionOf } from '../../config/flags.js';
import type { WrittenConfig } from '../../config/kind.js';
import { readYaml } from '../../config/read-config.js';
import { asValues, parseYaml } from '../../config/yaml-text.js';
import { isMapping } from '../../contracts/json.js';
import type { CommandSpec } from '../kind.js';
import { kindOf } from '../registry.js';
import { cellsOf, configOfCell, kindOfCells } from './cells.js';
import { sweepConfigs } from './config.js';
import { type SweepConfig, sweepConfigSchema } from './schema.js';

/** Reports whether an assignment of `--set` is to a field of the sweep itself, not to one of its cells. */
function isOwn(assignment: string): boolean {
  return (assignment.split(/[.=]/)[0] ?? '').trim() in sweepConfigSchema.shape;
}

/** Returns the values of `--set lm.temperature=0,0.7`: those between commas, or the single one. */
function axisOf(assignment: string): [field: string, values: unknown[]] {
  const equals = assignment.indexOf('=');
  const field = assignment.slice(0, Math.max(equals, 0)).trim();
  if (field === '') {
    throw new InvalidInputError(`--set ${assignment}: write it as section.field=value, or value,value`);
  }
  const text = assignment.slice(equals + 1);
  try {
    const values = asValues(parseYaml(`[${text}]`));
    if (Array.isArray(values) && values.length > 0) return [field, values];
  } catch {
    // No list in YAML: one text.
  }
  return [field, [text]];
}

/** Reads a sweep's config, or that of its cells, and adds the fields of `--set` to its grid. */
function askedSweep(path: string, set: readonly string[]): WrittenConfig {
  const file = resolve(path);
  const read = readYaml(file);
  const given = isMapping(read) ? read : {};
  const name = basename(file, extname(file));
  const raw: WrittenConfig = sweepConfigs.recognises(given)
    ? (sweepConfigs.writeOut?.({ name, ...given }, dirname(file)) ?? given)
    : { name: `${name}-sweep`, config: file };
  const axes = set.filter((one) => !isOwn(one)).map(axisOf);
  return { ...raw, grid: { ...sectionOf(raw, 'grid'), ...Object.fromEntries(axes) } };
}

export const sweepCommand: CommandSpec<SweepConfig> = {
  argument: ['<config>', 'a YAML file of a sweep, or of what it varies'],
  examples: [
    'reprise sweep sweep.yaml',
    'reprise sweep experiment.yaml --model openai/gpt-4.1 --model openai/gpt-4.1-mini --repeats 3',
    'reprise sweep experiment.yaml --set lm.temperature=0,0.7 --set limits.max_cost_usd=1',
  ],
  asked: async (path, { set }) => askedSweep(path, set),
  overrides: (set) => set.filter(isOwn),
  check: async (config) => {
    const kind = await kindOfCells(config);
    const command = await kindOf(config.command)?.command();
    const cells = cellsOf({ ...config, repeats: 1 }, config.name);
    const notes = new Set<string>();
    for (const cell of cells) {
      const own = configOfCell(kind, config, cell, config.output.results_dir);
      for (const note of (await command?.check(own)) ?? []) notes.add(note);
    }
    return [...notes];
  },
  says: async ({ grid, repeats }) => {
    const varied = Object.entries(grid).filter(([, { length }]) => length > 1);
    const fields = varied.map(([field, { length }]) => `${length} of ${field}`);
    const counted = Object.values(grid).reduce((count, { length }) => count * length, repeats);
    const what = [...fields, ...(repeats > 1 ? [`${repeats} repeats`] : [])].join(' × ');
    return { before: [`${counted} cells: ${what}. Their limits are one.`] };
  },
};
