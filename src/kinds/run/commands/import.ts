import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { locatedFiles } from '../../../activities/locate.js';
import { examples } from '../../../cli/examples.js';
import { EXIT } from '../../../cli/exit.js';
import { shellWord } from '../../../cli/format.js';
import { printJson, printText } from '../../../cli/print.js';
import { InvalidInputError } from '../../../config/errors.js';
import { isRemote, requireFile, resolveLocation } from '../../../config/paths.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { openStore } from '../../../storage/open.js';
import { artifactKeys } from '../../../storage/paths.js';
import { shownAddress } from '../../../storage/shown-address.js';
import { type Imported, importInspect } from '../importers/import-inspect.js';
import { importPromptfoo, isPromptfoo } from '../importers/import-promptfoo.js';
import { isInspectLog, jsonLog, openEvalLog, parsePythonJson } from '../importers/inspect-log.js';
import { readValue } from '../importers/promptfoo-files.js';

interface ImportOptions {
  out?: string;
  score?: string;
  json?: boolean;
}

/** Runs some work on a file of this machine: the named one, or a copy of it. */
async function withLocalFile<Value>(address: string, work: (path: string) => Promise<Value>): Promise<Value> {
  if (!isRemote(address)) {
    requireFile(address, 'file');
    return work(address);
  }
  const source = await locatedFiles(openStore)(address);
  if (source === null) throw new InvalidInputError(`there is no file at ${address}`);
  const folder = await mkdtemp(join(tmpdir(), 'reprise-import-'));
  try {
    const path = join(folder, basename(address));
    await pipeline(source, createWriteStream(path));
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.toString('latin1') === 'PK';
  } finally {
    await file.close();
  }
}

/** Reads a JSON file with a log or a config, or a YAML file with a config. */
async function parsedFile(path: string): Promise<unknown> {
  const ending = extname(path).toLowerCase();
  if (['.js', '.mjs', '.cjs', '.ts', '.py'].includes(ending)) {
    throw new InvalidInputError(`${path} is code, which is not run; write the config as YAML or JSON`);
  }
  if (ending !== '.json') return readValue(path);
  try {
    return parsePythonJson(await readFile(path, 'utf8'));
  } catch (error) {
    throw new InvalidInputError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** Imports a file, by what is in it. @throws InvalidInputError */
async function importFile(path: string, store: ArtifactStore, score?: string): Promise<Imported> {
  if (await isZip(path)) {
    const log = await openEvalLog(path);
    try {
      return await importInspect(log, store, score);
    } finally {
      log.close();
    }
  }
  const value = await parsedFile(path);
  if (isInspectLog(value)) return importInspect(jsonLog(value, path), store, score);
  if (score !== undefined) throw new InvalidInputError('--score is for a log of Inspect AI');
  if (isPromptfoo(value)) return importPromptfoo(value, path, store);
  throw new InvalidInputError(
    `${path} is neither a log of Inspect AI (.eval or JSON) nor a config of promptfoo (with prompts and providers)`,
  );
}

export function addImportCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('import')
    .addHelpText(
      'after',
      examples(
        'reprise import logs/2026-11-28_capitals.eval --score match',
        'reprise import promptfooconfig.yaml --out translation',
      ),
    )
    .argument('<file>', 'a log, as a path or s3:// address, or a promptfooconfig.yaml')
    .option('--out <folder>', 'where to write, new or empty (default: imported/NAME)')
    .option('--score <name>', 'of a log with several scores, the one that becomes the reward')
    .option('--json', 'for machines')
    .action(async (file: string, { out, score, json }: ImportOptions) => {
      const address = resolveLocation(file, process.cwd());
      const name = basename(address, extname(address));
      const store = openStore(resolveLocation(out ?? join('imported', name), process.cwd()));
      for await (const { key } of store.list('')) {
        throw new InvalidInputError(
          `${shownAddress(store.uri)} holds ${key}; name an empty folder with --out`,
        );
      }
      const imported = await withLocalFile(address, (path) => importFile(path, store, score));
      const folder = shownAddress(store.uri);
      if (json) printJson({ folder: store.uri, ...imported });
      else printText(report(folder, imported));
      finish(EXIT.done);
    });
}

function report(folder: string, { files, notes }: Imported): string {
  const config = Object.keys(files).find((name) => name.endsWith('.yaml'));
  const rows =
    artifactKeys.results in files ? `stats ${shellWord(`${folder}/${artifactKeys.results}`)}` : null;
  const next = config === undefined ? rows : `run ${shellWord(`${folder}/${config}`)}`;
  return [
    ...Object.entries(files).map(([name, what]) => `${folder}/${name}: ${what}`),
    ...notes,
    ...(next === null ? [] : [`Next: npx reprise ${next}`]),
  ].join('\n');
}
