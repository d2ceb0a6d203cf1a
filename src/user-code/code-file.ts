import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { ArtifactStore } from '../storage/artifact-store.js';
import { codeKey } from '../storage/paths.js';
import { readJson } from '../storage/stored-file.js';
import { codeOf, type UserCode, withImports } from './code.js';
import { hashOf, type KeptCode } from './kept-code.js';

/** A user's own code that an experiment uses. */
export interface OwnCode {
  /** Absolute paths. */
  paths: readonly string[];
  /** Folders from which on paths are shown. */
  folders: readonly string[];
  /** Other changeable values that it uses, as texts by name. */
  values?: Record<string, string>;
}

/** Finds the code of users' files that a config names. Files of another machine may be missing here. */
export function ownCodeIn(named: readonly (string | undefined)[]): OwnCode {
  const files = named.filter((file) => file !== undefined && existsSync(file)) as string[];
  return {
    paths: files.flatMap((file) => [...withImports(file).keys()]),
    folders: files.map((file) => dirname(file)),
  };
}

/** Modules (and values) that have changed, and the work that was done with the earlier ones; `at`: ISO 8601. */
export type ChangeOfCode<Done extends object> = Done & { at: string; modules: string[] };

/** Code that the last execution found, with all changes between executions. */
interface StoredCode<Done extends object> {
  /** SHA-256 by path. */
  modules: Record<string, string>;
  values?: Record<string, string>;
  /** Folders from which on paths are shown. */
  folders?: readonly string[];
  changes: ChangeOfCode<Done>[];
}

async function storedCode<Done extends object>(store: ArtifactStore): Promise<StoredCode<Done>> {
  return (await readJson<StoredCode<Done>>(store, codeKey())) ?? { modules: {}, changes: [] };
}

/**
 * Finds the code with which an experiment was started or continued; undefined where not all of it is kept here, or
 * where one of its files is missing, since code is loaded by the path of an existing file.
 */
export async function codeBegunWith(
  store: ArtifactStore,
  kept: KeptCode | undefined,
): Promise<UserCode | undefined> {
  if (kept === undefined) return undefined;
  const texts = new Map<string, string>();
  for (const [path, hash] of Object.entries((await storedCode(store)).modules)) {
    const text = kept.text(hash);
    if (text === undefined || !existsSync(path)) return undefined;
    texts.set(path, text);
  }
  return texts.size === 0 ? undefined : codeOf(texts);
}

interface Module {
  path: string;
  /** null where the file is missing. */
  bytes: Uint8Array | null;
  hash: string | null;
}

async function moduleAt(path: string): Promise<Module> {
  const bytes = await readFile(path).catch(() => null);
  return { path, bytes, hash: bytes === null ? null : hashOf(bytes) };
}

function shownIn(folders: readonly string[], path: string): string {
  const folder = folders.find((one) => path.startsWith(join(one, '/')));
  return folder === undefined ? path : join(basename(folder), relative(folder, path));
}

/** Compares the code on the disk with the stored one. */
async function compared(
  before: Record<string, string>,
  { paths, folders }: OwnCode,
): Promise<{ changed: string[]; modules: Record<string, string>; texts: Uint8Array[] }> {
  const all = [...new Set([...paths, ...Object.keys(before)])].sort();
  const modules = await Promise.all(all.map(moduleAt));
  const changed = modules.filter(({ path, hash }) => path in before && before[path] !== hash);
  return {
    changed: changed.map(({ path }) => shownIn(folders, path)),
    modules: Object.fromEntries(modules.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash]]))),
    texts: modules.flatMap(({ bytes }) => bytes ?? []),
  };
}

/**
 * Records code that has changed since an earlier execution, since results of both versions must be marked. Call it when
 * the code is loaded. May be repeated: a change is recorded once.
 * @param options `kept` keeps the code, so that other workers can load the same version; `ran` is the stored code, where
 * that ran whatever the disk holds now.
 * @returns the change; null where there is none.
 */
export async function noteCodeChange<Done extends object>(
  store: ArtifactStore,
  code: OwnCode,
  now: Done & { at: string },
  { kept, ran }: { kept?: KeptCode | undefined; ran?: UserCode | undefined } = {},
): Promise<ChangeOfCode<Done> | null> {
  const before = await storedCode<Done>(store);
  const { values = {} } = code;
  const folders = [...new Set([...code.folders, ...(before.folders ?? [])])];
  const { changed, modules, texts } =
    ran === undefined
      ? await compared(before.modules, { ...code, folders })
      : { changed: [], modules: before.modules, texts: [] };
  await kept?.keep(texts);
  const others = Object.keys(values).filter(
    (name) => (before.values?.[name] ?? values[name]) !== values[name],
  );
  const change = changed.length + others.length === 0 ? null : { ...now, modules: [...changed, ...others] };
  if (change === null && Object.keys({ ...modules, ...values }).length === 0) return null;
  const changes = change === null ? before.changes : [...before.changes, change];
  const stored = { modules, values: { ...before.values, ...values }, folders, changes };
  await store.write(codeKey(), JSON.stringify(stored));
  return change;
}

/**
 * Records the changes up to an experiment's end. A file that was edited meanwhile is none where the code that the
 * experiment began with is kept, since that is what ran.
 * @returns every change, in the order of time.
 */
export async function codeChangesAtEnd<Done extends object>(
  store: ArtifactStore,
  { code, kept }: { code: OwnCode; kept: KeptCode | undefined },
  done: Done,
): Promise<ChangeOfCode<Done>[]> {
  const ran = await codeBegunWith(store, kept);
  await noteCodeChange(store, code, { ...done, at: new Date().toISOString() }, { ran });
  return (await storedCode<Done>(store)).changes;
}

/** Returns the SHA-256 of each module that an experiment worked with, by its path from its folder on. */
export async function recordedModules(store: ArtifactStore): Promise<Record<string, string>> {
  const { modules, folders = [] } = await storedCode(store);
  return Object.fromEntries(Object.entries(modules).map(([path, hash]) => [shownIn(folders, path), hash]));
}

/** Describes a change of modules. */
export function changedText(experiment: string, modules: readonly string[]): string {
  const have = modules.length === 1 ? 'has' : 'have';
  return `${modules.join(', ')} ${have} changed since ${experiment} began`;
}

/** Returns the modules that differ from an experiment's record, as paths from their folder on. */
export async function changedSince(store: ArtifactStore, code: OwnCode): Promise<string[]> {
  const { modules } = await storedCode(store);
  return (await compared(modules, code)).changed;
}
