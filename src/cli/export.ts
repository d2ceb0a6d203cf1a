import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { locate } from '../activities/locate.js';
import { readTrajectories } from '../activities/read-trajectories.js';
import { InvalidInputError } from '../config/errors.js';
import { homeFolder, resolveLocation } from '../config/paths.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { jsonLines } from '../storage/json-lines.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportRefusal,
  exportFilter,
  exportRows,
  isKept,
  NO_COLUMNS,
  type TrajectoryFilter,
  withColumnsOf,
} from '../trajectories/exports/index.js';
import type { Trajectory } from '../trajectories/trajectory.js';
import { EXIT } from './exit.js';
import { SavedImages } from './export-images.js';
import { findExperiment } from './find-experiment.js';
import { headedTable } from './format.js';
import { sayText, writeOut } from './print.js';

/** Where experiments are, unless a folder is named: runs, and evolutions. */
export const RESULTS_FOLDERS = ['results', 'experiments'].map((name) =>
  join(relative(process.cwd(), homeFolder(process.cwd())), name),
);
/** Formats whose rows hold paths of images. */
const WITH_IMAGE_FILES: readonly ExportFormat[] = ['sharegpt', 'trl'];
const REFUSALS_LISTED = 20;

interface Options {
  format: string;
  out?: string;
  minReward?: string;
  successful?: boolean;
  images?: string;
  imageHost?: string[];
  imageFolder?: string[];
  resultsDir?: string;
}

/** What became of an experiment's trajectories. */
interface Counts {
  trajectories: number;
  filtered: number;
  rows: number;
  refused: ExportRefusal[];
}

function formatOf({ format, images, imageHost, imageFolder }: Options): ExportFormat {
  const known = EXPORT_FORMATS.find((one) => one === format);
  if (known === undefined) {
    throw new InvalidInputError(
      `--format: '${format}' is not allowed; allowed: ${EXPORT_FORMATS.join(', ')}`,
    );
  }
  if (images !== undefined && !WITH_IMAGE_FILES.includes(known)) {
    throw new InvalidInputError(
      `--images: ${known} holds no paths of images; ${WITH_IMAGE_FILES.join(' and ')} do`,
    );
  }
  if (images === undefined && (imageHost !== undefined || imageFolder !== undefined)) {
    throw new InvalidInputError('--image-host and --image-folder: name the folder to save in with --images');
  }
  return known;
}

function filterOf(format: ExportFormat, { minReward, successful }: Options): TrajectoryFilter {
  const minimumReward = minReward === undefined ? undefined : Number(minReward);
  if (minimumReward !== undefined && (minReward?.trim() === '' || !Number.isFinite(minimumReward))) {
    throw new InvalidInputError(`--min-reward ${minReward}: must be a number`);
  }
  return exportFilter(format, { minimumReward, successful });
}

/** @throws InvalidInputError that names the line where it is no trajectory. */
async function* trajectoriesIn(store: ArtifactStore): AsyncGenerator<Trajectory> {
  const name = `${store.uri}/${artifactKeys.trajectories}`;
  const source = await store.openRead(artifactKeys.trajectories);
  if (source === null) throw new InvalidInputError(`there is no file at ${name}`);
  yield* readTrajectories(source, name);
}

/** Every row of the export. The file is read twice: its columns have to be known before the first row. */
async function* exportedRows(
  store: ArtifactStore,
  { format, filter, images }: { format: ExportFormat; filter: TrajectoryFilter; images: SavedImages | null },
  counts: Counts,
): AsyncGenerator<Record<string, unknown>> {
  let columns = NO_COLUMNS;
  for await (const trajectory of trajectoriesIn(store)) {
    if (isKept(trajectory, filter)) columns = withColumnsOf(columns, trajectory);
  }
  for await (const trajectory of trajectoriesIn(store)) {
    counts.trajectories += 1;
    if (!isKept(trajectory, filter)) {
      counts.filtered += 1;
      continue;
    }
    const imagePath = await images?.saveAll(trajectory);
    const { rows, refused } = exportRows(format, trajectory, { columns, imagePath });
    counts.rows += rows.length;
    counts.refused.push(...refused);
    yield* rows;
  }
}

async function write(out: string | undefined, rows: AsyncIterable<unknown>): Promise<void> {
  const blocks = jsonLines(rows);
  if (out === undefined) for await (const block of blocks) writeOut(block);
  else {
    const { store, key } = locate(openStore, resolveLocation(out, process.cwd()));
    await store.writeStream(key, blocks);
  }
}

function report(counts: Counts, images: SavedImages | null): string {
  const { trajectories, filtered, rows, refused } = counts;
  const lines = [`${rows} rows of ${trajectories} trajectories; ${filtered} filtered out`];
  if (refused.length > 0) {
    lines.push(`${refused.length} conversations that the format cannot hold:`);
    const listed = refused.slice(0, REFUSALS_LISTED);
    const cells = listed.map(({ episode_id, step, chat, reason }) => [
      episode_id ?? '–',
      String(step),
      String(chat),
      reason,
    ]);
    lines.push(headedTable(['episode', 'step', 'chat', 'why'], cells));
    if (refused.length > listed.length) lines.push(`… and ${refused.length - listed.length} more`);
  }
  const unsaved = [...(images?.refused ?? [])];
  if (unsaved.length > 0) {
    lines.push(`${unsaved.length} images that were not saved:`);
    lines.push(headedTable(['image', 'why'], unsaved.slice(0, REFUSALS_LISTED)));
  }
  return lines.join('\n');
}

const gather = (value: string, before: string[] = []) => [...before, value];

export function addExportCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('export')
    .description('the trajectories of a finished run or evolution, in a format to train with')
    .argument('<id>', 'the experiment’s id, or its folder')
    .requiredOption('--format <format>', EXPORT_FORMATS.join(', '))
    .option('--out <file>', 'default: standard output')
    .option('--min-reward <reward>', 'only those whose rewards sum to at least this')
    .option('--successful', 'only those that succeeded')
    .option('--images <folder>', 'sharegpt and trl: save images here, for the rows to name')
    .option('--image-host <host>', 'a host that images may be fetched from; may be repeated', gather)
    .option('--image-folder <folder>', 'a folder that images may be copied from; may be repeated', gather)
    .option('--results-dir <folder>', `where experiments are kept (default: ${RESULTS_FOLDERS.join(' or ')})`)
    .action(async (id: string, options: Options) => {
      const format = formatOf(options);
      const filter = filterOf(format, options);
      const store = await findExperiment(id, {
        folders: options.resultsDir === undefined ? RESULTS_FOLDERS : [options.resultsDir],
        file: artifactKeys.trajectories,
        kind: 'experiment',
      });
      const images =
        options.images === undefined
          ? null
          : new SavedImages(options.images, {
              hosts: options.imageHost ?? [],
              folders: (options.imageFolder ?? []).map((folder) => resolve(folder)),
            });
      const counts: Counts = { trajectories: 0, filtered: 0, rows: 0, refused: [] };
      await write(options.out, exportedRows(store, { format, filter, images }, counts));
      sayText(report(counts, images));
      finish(EXIT.done);
    });
}
