import { existsSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { createJiti, type Jiti, type JitiOptions } from 'jiti';
import { runUserCode } from '../contracts/run-user-code.js';
import { changedAt } from '../storage/changed-at.js';
import { type CodeTexts, importAsItWas, sayTheSame } from '../user-code/code-texts.js';
import * as sideApi from './index.js';

/** When the files of loaded bundles had been changed last. */
const changes = new Map<string, number>();

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/** The module of this name, or the index of the folder of this name; null where there is neither. */
export function findModule(path: string): string | null {
  const candidates = [
    ...(EXTENSIONS.some((extension) => path.endsWith(extension)) ? [path] : []),
    ...EXTENSIONS.map((extension) => `${path}${extension}`),
    ...EXTENSIONS.map((extension) => join(path, `index${extension}`)),
  ];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile()) ?? null;
}

function loader(options: JitiOptions = {}): Jiti {
  return createJiti(import.meta.url, {
    virtualModules: { 'reprise/bundle': sideApi },
    fsCache: true,
    moduleCache: true,
    ...options,
  });
}

/**
 * Loads a bundle's TypeScript or JavaScript module without a build step; its imports from `reprise/bundle` are this
 * package's own module. Where a file of the folder has changed since, all of them are loaded anew.
 * @param texts what is to be loaded, whatever the files say now
 * @throws whatever the module throws, or what keeps it from being compiled.
 */
export async function loadBundleModule(
  path: string,
  folder: string,
  texts?: CodeTexts,
): Promise<Record<string, unknown>> {
  if (texts !== undefined && !sayTheSame(texts)) return runUserCode(() => importAsItWas(path, texts, loader));
  const jiti = loader();
  forgetChanged(jiti, folder);
  try {
    return await runUserCode(() => jiti.import<Record<string, unknown>>(path));
  } finally {
    for (const file of loadedFrom(jiti, folder)) {
      if (!changes.has(file)) changes.set(file, changedAt(file));
    }
  }
}

/**
 * Whether a module is loaded, and no file of the folder has changed since.
 * @param texts what is to be loaded, whatever the files say now
 */
export function isLoaded(path: string, folder: string, texts?: CodeTexts): boolean {
  const jiti = createJiti(import.meta.url, { moduleCache: true });
  if (texts !== undefined && !sayTheSame(texts)) return false;
  return path in jiti.cache && isAsLoaded(loadedFrom(jiti, folder));
}

/** Paths of the modules that were loaded from a folder, those of packages left out. */
export function loadedModules(folder: string): string[] {
  return loadedFrom(createJiti(import.meta.url, { moduleCache: true }), folder);
}

function loadedFrom(jiti: Jiti, folder: string): string[] {
  const inside = (file: string) =>
    file.startsWith(folder + sep) && !file.includes(`${sep}node_modules${sep}`);
  return Object.keys(jiti.cache).filter(inside);
}

function isAsLoaded(files: readonly string[]): boolean {
  return files.every((file) => changes.get(file) === changedAt(file));
}

function forgetChanged(jiti: Jiti, folder: string): void {
  const loaded = loadedFrom(jiti, folder);
  if (isAsLoaded(loaded)) return;
  for (const file of loaded) {
    delete jiti.cache[file];
    changes.delete(file);
  }
}
