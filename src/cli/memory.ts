import type { Command } from 'commander';
import { locate } from '../activities/locate.js';
import { InvalidInputError } from '../config/errors.js';
import { memoryConfigSchema } from '../config/memory-schemas.js';
import { resolveLocation } from '../config/paths.js';
import type { MemorySnapshot } from '../memory/memory-module.js';
import {
  isJournaled,
  MemoryFormatError,
  rolledBack,
  type SavedParts,
  savedParts,
  savedText,
} from '../memory/saved.js';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { findFile, RESULTS_DIR, resultsFolders } from './find-experiment.js';
import { headedTable } from './format.js';
import { printText, writeOut } from './print.js';

const FILE_HELP = 'a memory.json, as a path or s3:// address; or the id or folder of the run that wrote it';

interface OpenedMemory {
  type: string;
  parts: SavedParts;
  store: ArtifactStore;
  key: string;
}

/** @throws InvalidInputError where the file is not a memory with a sheet or experiences. */
async function openMemory(address: string, resultsDir: string | undefined): Promise<OpenedMemory> {
  const { store, key } = await findFile(address, {
    folders: resultsFolders(resultsDir),
    file: artifactKeys.memory,
  });
  const text = (await store.readText(key)) ?? '';
  let saved: MemorySnapshot | null;
  try {
    saved = JSON.parse(text) as MemorySnapshot | null;
  } catch (error) {
    throw new InvalidInputError(`${address} is not JSON: ${(error as Error).message}`);
  }
  const type = saved?._type ?? 'nothing';
  if (saved === null || !isJournaled(type)) {
    throw new InvalidInputError(
      `${address} holds a memory of type ${type}; this command is for cheatsheet, experience_db and hybrid`,
    );
  }
  return refusing(address, () => {
    return { type, parts: savedParts(memoryConfigSchema.parse({ _type: type }), saved), store, key };
  });
}

function refusing<Value>(address: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MemoryFormatError)) throw error;
    throw new InvalidInputError(`${address}: ${error.message}`);
  }
}

function versionNumber(text: string, option: string): number {
  const version = Number(text);
  if (Number.isInteger(version) && version > 0) return version;
  throw new InvalidInputError(`${option} ${text}: must be a whole number of at least 1`);
}

function describe({ type, parts }: Pick<OpenedMemory, 'type' | 'parts'>): string {
  const { versions, experiences, cheatsheet } = parts;
  const lines = [`${type}: ${versions.length} versions of the sheet, ${experiences.length} experiences`];
  if (versions.length > 0) {
    const rows = versions.map(({ version, sample_id, trial, content }) => [
      String(version),
      sample_id ?? '–',
      trial === undefined ? '–' : String(trial + 1),
      String(content.length),
    ]);
    lines.push(headedTable(['version', 'written after', 'trial', 'characters'], rows), '', cheatsheet);
  }
  return lines.join('\n');
}

export function addMemoryCommands(program: Command, finish: (code: number) => void): void {
  const memory = program
    .command('memory')
    .addHelpText('after', examples('reprise memory show results/my-run/memory.json'));

  memory
    .command('show')
    .addHelpText('after', examples('reprise memory show results/my-run/memory.json --version 2'))
    .description('the versions of the sheet, and the sheet itself')
    .argument('<file>', FILE_HELP)
    .option('--version <n>', 'the text of this version only')
    .option(...RESULTS_DIR)
    .action(async (file: string, options: { version?: string; resultsDir?: string }) => {
      const opened = await openMemory(file, options.resultsDir);
      if (options.version === undefined) printText(describe(opened));
      else {
        const wanted = versionNumber(options.version, '--version');
        const { cheatsheet } = refusing(file, () => rolledBack(opened.parts, wanted));
        // A file or pipe gets the text unchanged.
        if (process.stdout.isTTY) printText(cheatsheet);
        else writeOut(`${cheatsheet}\n`);
      }
      finish(EXIT.done);
    });

  memory
    .command('rollback')
    .addHelpText(
      'after',
      examples('reprise memory rollback results/my-run/memory.json --to 2 --out notes.json'),
    )
    .description('make an older version of the sheet the newest one; no version is lost')
    .argument('<file>', FILE_HELP)
    .requiredOption('--to <n>', 'the version to go back to')
    .option('--out <file>', 'default: the file itself')
    .option(...RESULTS_DIR)
    .action(async (file: string, options: { to: string; out?: string; resultsDir?: string }) => {
      const { type, parts, ...found } = await openMemory(file, options.resultsDir);
      const wanted = versionNumber(options.to, '--to');
      const result = refusing(file, () => rolledBack(parts, wanted));
      const out = options.out ?? file;
      const { store, key } =
        options.out === undefined ? found : locate(openStore, resolveLocation(out, process.cwd()));
      await store.writeStream(
        key,
        (async function* () {
          yield* savedText(type, result);
          yield '\n';
        })(),
      );
      printText(`${out}: version ${result.versions.length} is version ${wanted} once more`);
      finish(EXIT.done);
    });
}
