import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { locate } from '../activities/locate.js';
import { readTrajectories } from '../activities/read-trajectories.js';
import { InvalidInputError } from '../config/errors.js';
import { resolveLocation } from '../config/paths.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { jsonLines } from '../storage/json-lines.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { Advantages } from '../trajectories/advantages.js';
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
import { withReturns } from '../trajectories/returns.js';
import type { Trajectory } from '../trajectories/trajectory.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { SavedImages } from './export-images.js';
import { findExperiment, RESULTS_DIR, resultsFolders } from './find-experiment.js';
import { headedTable } from './format.js';
import { sayText, writeOut } from './print.js';
import { successRewardOf } from './success-reward.js';

/** Formats whose rows hold paths of images. */
const WITH_IMAGE_FILES: readonly ExportFormat[] = ['sharegpt', 'trl'];
const REFUSALS_LISTED = 20;

interface Options {
  format: ExportFormat;
  out?: string;
  minReward?: string;
  successful?: boolean;
  withoutTruncated?: boolean;
  returns?: string;
  advantages?: string;
  credit?: string;
  truncationValue?: string;
  images?: string;
  imageHost?: string[];
  imageFolder?: string[];
  resultsDir?: string;
}

/** Counts of trajectories and of exported rows. */
interface Counts {
  trajectories: number;
  filtered: number;
  rows: number;
  refused: ExportRefusal[];
}

function formatOf({ format, images, imageHost, imageFolder }: Options): ExportFormat {
  if (images !== undefined && !WITH_IMAGE_FILES.includes(format)) {
    throw new InvalidInputError(
      `--images: ${format} holds no paths of images; ${WITH_IMAGE_FILES.join(' and ')} do`,
    );
  }
  if (images === undefined && (imageHost !== undefined || imageFolder !== undefined)) {
    throw new InvalidInputError('--image-host and --image-folder: name the folder to save in with --images');
  }
  return format;
}

/** @throws InvalidInputError where the text is not a number in the range. */
function numberOf(
  text: string | undefined,
  option: string,
  { range, expected = 'a number' }: { range?: readonly [number, number]; expected?: string } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  const [least, most] = range ?? [-Number.MAX_VALUE, Number.MAX_VALUE];
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new InvalidInputError(`${option} ${text}: must be ${expected}`);
}

function choiceOf<Choice extends string>(
  text: string | undefined,
  option: string,
  choices: readonly Choice[],
) {
  const known = choices.find((one) => one === text);
  if (known !== undefined || text === undefined) return known;
  throw new InvalidInputError(`${option} ${text}: must be ${choices.join(' or ')}`);
}

function filterOf(
  format: ExportFormat,
  { minReward, successful, withoutTruncated }: Options,
): TrajectoryFilter {
  const minimumReward = numberOf(minReward, '--min-reward');
  return exportFilter(format, { minimumReward, successful, withoutTruncated });
}

/** Filler of returns or advantages, which first receives every kept trajectory. */
type Credit = Pick<Advantages, 'add' | 'fill'>;

/** Returns what fills in returns and advantages; null where neither was requested. */
function creditOf(format: ExportFormat, options: Options): Credit | null {
  const { returns, advantages, credit, truncationValue } = options;
  const discount = numberOf(returns, '--returns', { range: [0, 1], expected: 'a discount from 0 to 1' });
  const scale = choiceOf(advantages, '--advantages', ['none', 'standard_deviation']);
  const of = choiceOf(credit, '--credit', ['episode', 'step']);
  const unknown = truncationValue === 'unknown' ? null : undefined;
  const expected = { expected: "a number, or 'unknown'" };
  const value = unknown === null ? null : numberOf(truncationValue, '--truncation-value', expected);
  if (discount === undefined && scale === undefined) {
    const [useless] = Object.entries({ '--credit': credit, '--truncation-value': truncationValue }).filter(
      ([, given]) => given !== undefined,
    );
    if (useless === undefined) return null;
    throw new InvalidInputError(`${useless[0]}: is of --returns and --advantages; give one of them as well`);
  }
  if (format !== 'trajectories') {
    throw new InvalidInputError(
      `${discount === undefined ? '--advantages' : '--returns'}: ${format} has no place for it; --format trajectories has`,
    );
  }
  const known = { discount: discount ?? 1, ...(value === undefined ? {} : { truncationValue: value }) };
  if (scale !== undefined)
    return new Advantages({ ...known, scale, ...(of === undefined ? {} : { credit: of }) });
  return {
    add: () => undefined,
    fill: (trajectory) => withReturns(trajectory, known.discount, known.truncationValue),
  };
}

/** @throws InvalidInputError that names the line where it is not a trajectory. */
async function* trajectoriesIn(store: ArtifactStore): AsyncGenerator<Trajectory> {
  const name = `${store.uri}/${artifactKeys.trajectories}`;
  const source = await store.openRead(artifactKeys.trajectories);
  if (source === null) throw new InvalidInputError(`there is no file at ${name}`);
  yield* readTrajectories(source, name);
}

interface Exporting {
  format: ExportFormat;
  filter: TrajectoryFilter;
  images: SavedImages | null;
  credit: Credit | null;
}

/** @throws InvalidInputError where trajectories cannot be grouped. */
function refusing(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidInputError(`--advantages: ${error.message}`);
  }
}

/** Yields every row of the export. The file is read twice: the columns have to be known before the first row. */
async function* exportedRows(
  store: ArtifactStore,
  { format, filter, images, credit }: Exporting,
  counts: Counts,
): AsyncGenerator<Record<string, unknown>> {
  let columns = NO_COLUMNS;
  for await (const trajectory of trajectoriesIn(store)) {
    if (!isKept(trajectory, filter)) continue;
    columns = withColumnsOf(columns, trajectory);
    refusing(() => credit?.add(trajectory));
  }
  for await (const trajectory of trajectoriesIn(store)) {
    counts.trajectories += 1;
    if (!isKept(trajectory, filter)) {
      counts.filtered += 1;
      continue;
    }
    const imagePath = await images?.saveAll(trajectory);
    const filled = credit === null ? trajectory : credit.fill(trajectory);
    const { rows, refused } = exportRows(format, filled, { columns, imagePath });
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
    .addHelpText(
      'after',
      examples(
        'reprise export my-run --format trl --successful --out train.jsonl',
        'reprise export my-run --format trajectories --returns 0.99 --out returns.jsonl',
      ),
    )
    .argument('<id>', 'the experiment’s id, or its folder')
    .addOption(new Option('--format <format>', 'of the rows').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--out <file>', 'default: standard output')
    .option('--min-reward <reward>', 'only those whose rewards sum to at least this')
    .option('--successful', 'only those that succeeded')
    .option('--without-truncated', 'leave out those that a limit or an error cut')
    .option(
      '--returns <discount>',
      'trajectories: fill in mc_return, with this discount (1 for --advantages)',
    )
    .option(
      '--advantages <scale>',
      'trajectories: fill in advantage over the trials of a task: none, or standard_deviation as in GRPO',
    )
    .option('--credit <what>', 'what a step’s advantage is of: episode (default), or step')
    .option('--truncation-value <value>', 'what is to be expected after a cut episode: a number, or unknown')
    .option('--images <folder>', 'sharegpt and trl: save images here, for the rows to name')
    .option('--image-host <host>', 'a host that images may be fetched from; may be repeated', gather)
    .option('--image-folder <folder>', 'a folder that images may be copied from; may be repeated', gather)
    .option(...RESULTS_DIR)
    .action(async (id: string, options: Options) => {
      const format = formatOf(options);
      const filter = filterOf(format, options);
      const credit = creditOf(format, options);
      const store = await findExperiment(id, {
        folders: resultsFolders(options.resultsDir),
        file: artifactKeys.trajectories,
        kind: 'experiment',
      });
      if (options.successful) filter.successReward = await successRewardOf(store);
      const images =
        options.images === undefined
          ? null
          : new SavedImages(
              options.images,
              {
                hosts: options.imageHost ?? [],
                folders: (options.imageFolder ?? []).map((folder) => resolve(folder)),
              },
              store,
            );
      const counts: Counts = { trajectories: 0, filtered: 0, rows: 0, refused: [] };
      await write(options.out, exportedRows(store, { format, filter, images, credit }, counts));
      sayText(report(counts, images));
      finish(EXIT.done);
    });
}
