import type { MemoryConfig } from '../config/memory-schemas.js';
import { toWellFormedJson } from '../contracts/well-formed.js';
import type { CheatsheetEntry, ExperienceEntry } from './entries.js';
import { isEntry } from './entries.js';
import { experienceState } from './experience-db.js';
import type { JournalEntry, MemorySnapshot } from './memory-module.js';

/** Error of a saved memory that does not fit the config; the message describes the problem. */
export class MemoryFormatError extends Error {
  override readonly name = 'MemoryFormatError';
}

/** Version of the sheet in `memory.json`. */
export interface SheetVersion {
  /** Number, from 1. */
  version: number;
  sample_id?: string;
  trial?: number;
  content: string;
}

/** Parts of a saved memory; a part that its kind does not have is empty. */
export interface SavedParts {
  cheatsheet: string;
  versions: SheetVersion[];
  experiences: ExperienceEntry[];
}

export const NOTHING_SAVED: SavedParts = { cheatsheet: '', versions: [], experiences: [] };

/** Kinds of memory with a journal, and the parts of each. */
const KINDS: Record<string, { sheet: boolean; experiences: boolean }> = {
  cheatsheet: { sheet: true, experiences: false },
  experience_db: { sheet: false, experiences: true },
  hybrid: { sheet: true, experiences: true },
};

/** Reports whether a kind of memory keeps its entries in a journal. */
export function isJournaled(type: string): boolean {
  return Object.hasOwn(KINDS, type);
}

/**
 * Checks the versions of a saved sheet. They may be absent, as in handwritten notes; otherwise their numbers increase.
 */
function checkedVersions(versions: unknown): SheetVersion[] {
  if (versions === undefined) return [];
  if (!Array.isArray(versions)) throw new MemoryFormatError('"versions" must be a list');
  let last = 0;
  for (const [position, value] of versions.entries()) {
    const { version, content } = (value ?? {}) as Partial<SheetVersion>;
    if (typeof content !== 'string')
      throw new MemoryFormatError(`entry ${position} of "versions" has no text "content"`);
    if (!Number.isInteger(version) || (version as number) <= last) {
      throw new MemoryFormatError(
        `entry ${position} of "versions" needs a whole number "version" above ${last}, not ${JSON.stringify(version)}`,
      );
    }
    last = version as number;
  }
  return versions as SheetVersion[];
}

/** Adds a handwritten sheet to the versions; otherwise it would be lost with the next version. */
function withCurrent(versions: SheetVersion[], cheatsheet: string): SheetVersion[] {
  const newest = versions.at(-1);
  if (cheatsheet === (newest?.content ?? '')) return versions;
  return [...versions, { version: (newest?.version ?? 0) + 1, content: cheatsheet }];
}

/**
 * Reads a saved memory for a config. A hybrid takes over the part of a simpler memory, and a simpler memory its part of
 * a hybrid.
 * @throws MemoryFormatError that describes the mismatch.
 */
export function savedParts(config: MemoryConfig, saved: MemorySnapshot): SavedParts {
  const from = KINDS[saved._type];
  const to = KINDS[config._type];
  const shares =
    from !== undefined &&
    to !== undefined &&
    ((from.sheet && to.sheet) || (from.experiences && to.experiences));
  if (!shares) {
    throw new MemoryFormatError(
      `the saved memory is a ${saved._type}, the config asks for a ${config._type}`,
    );
  }
  const { cheatsheet, versions, experiences } = saved as Partial<Record<string, unknown>>;
  const parts = { ...NOTHING_SAVED };
  if (from.sheet && to.sheet) {
    if (typeof cheatsheet !== 'string')
      throw new MemoryFormatError(`a saved ${saved._type} has a text "cheatsheet"`);
    parts.cheatsheet = cheatsheet;
    parts.versions = withCurrent(checkedVersions(versions), cheatsheet);
  }
  if (from.experiences && to.experiences) {
    if (!Array.isArray(experiences))
      throw new MemoryFormatError(`a saved ${saved._type} has a list "experiences"`);
    const wrong = experiences.findIndex((entry) => !isEntry(entry) || entry._type !== 'experience');
    if (wrong >= 0) throw new MemoryFormatError(`experience ${wrong} has no obs, action and feedback`);
    parts.experiences = experiences;
  }
  return parts;
}

/**
 * Returns a lane's part of a saved memory: the sheet, the sizes and the newest experiences. The rest is read through
 * the journal.
 */
export function headOf(type: string, { cheatsheet, versions, experiences }: SavedParts): MemorySnapshot {
  const { sheet = false, experiences: found = false } = KINDS[type] ?? {};
  const head: MemorySnapshot = { _type: type, entries: 0 };
  if (sheet) Object.assign(head, { cheatsheet, versions: versions.length });
  if (found) Object.assign(head, experienceState(experiences));
  return head;
}

/** Numbers the next versions of a sheet, for the file. */
function versionsFrom(first: number, entries: readonly CheatsheetEntry[]): SheetVersion[] {
  return entries.map(({ _type, content, ...origin }, position) => ({
    version: first + position,
    ...origin,
    content,
  }));
}

/** Returns the parts after a run: the loaded ones and the entries of its journal. */
export function grownParts(loaded: SavedParts, entries: readonly JournalEntry[]): SavedParts {
  const sheets = entries.filter((entry): entry is CheatsheetEntry => entry._type === 'cheatsheet');
  const added = entries.filter((entry): entry is ExperienceEntry => entry._type === 'experience');
  return {
    cheatsheet: sheets.at(-1)?.content ?? loaded.cheatsheet,
    versions: [...loaded.versions, ...versionsFrom((loaded.versions.at(-1)?.version ?? 0) + 1, sheets)],
    experiences: [...loaded.experiences, ...added],
  };
}

/**
 * Yields a saved memory in pieces of JSON text, so that a long one is never held twice. One line per experience or
 * version.
 */
export function* savedText(type: string, parts: SavedParts): Generator<string> {
  const kind = KINDS[type];
  yield `{"_type":${JSON.stringify(type)}`;
  if (kind?.sheet) {
    yield `,\n"cheatsheet":${toWellFormedJson(parts.cheatsheet)},\n"versions":[`;
    yield* lines(parts.versions);
    yield ']';
  }
  if (kind?.experiences) {
    yield ',\n"experiences":[';
    yield* lines(parts.experiences);
    yield ']';
  }
  yield '}';
}

function* lines(values: readonly unknown[]): Generator<string> {
  for (const [position, value] of values.entries())
    yield `${position === 0 ? '\n' : ',\n'}${toWellFormedJson(value)}`;
}

/** Returns a saved memory as a value. */
export function savedMemory(type: string, parts: SavedParts): MemorySnapshot {
  const { sheet = false, experiences = false } = KINDS[type] ?? {};
  const saved: MemorySnapshot = { _type: type };
  if (sheet) Object.assign(saved, { cheatsheet: parts.cheatsheet, versions: parts.versions });
  if (experiences) Object.assign(saved, { experiences: parts.experiences });
  return saved;
}

/**
 * Restores an earlier version of the sheet. Later versions are kept: the old text becomes the newest version.
 * @throws MemoryFormatError if there is no such version.
 */
export function rolledBack(parts: SavedParts, version: number): SavedParts {
  const wanted = parts.versions.find((one) => one.version === version);
  if (wanted === undefined) {
    const [first, last] = [parts.versions[0], parts.versions.at(-1)];
    throw new MemoryFormatError(
      first === undefined
        ? 'the memory has no versions of a sheet'
        : `there is no version ${version}; the versions are ${first.version} to ${last?.version}`,
    );
  }
  const entry: CheatsheetEntry = { _type: 'cheatsheet', content: wanted.content };
  return grownParts(parts, [entry]);
}
