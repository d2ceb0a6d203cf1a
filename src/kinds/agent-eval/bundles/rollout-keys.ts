/**
 * Where the databases of a bundle's rows lie below an experiment's folder. Row ids are checked by the loader, so they
 * stand in a key as they are.
 */
const VERSION_DIGITS = 6;

function rowFolder(rowId: string): string {
  return `runs/${rowId}`;
}

/** The seeded database that every rollout of the row begins with. */
export function baseKey(rowId: string): string {
  return `${rowFolder(rowId)}/base.db`;
}

/** The database at the end of a rollout. */
export function rolloutKey(rowId: string, rollout: string): string {
  return `${rowFolder(rowId)}/roll_${rollout}.db`;
}

/** The pages of a version on the way, under the SHA-256 of its bytes: two rollouts that come to the same bytes share it. */
export function versionKey(rowId: string, sha256: string): string {
  return `${versionsFolder(rowId)}/${sha256}.pages`;
}

/** What only an unfinished rollout needs beside its row's versions. */
export function rolloutFolder(rowId: string, rollout: string): string {
  return `${rowFolder(rowId)}/roll_${rollout}`;
}

/** Lists the versions of a row's rollouts. */
export function versionsFolder(rowId: string): string {
  return `${rowFolder(rowId)}/versions`;
}

/** What the tool call that made a version came to. */
export function callKey(rowId: string, rollout: string, version: number): string {
  return `${rolloutFolder(rowId, rollout)}/${String(version).padStart(VERSION_DIGITS, '0')}.json`;
}
