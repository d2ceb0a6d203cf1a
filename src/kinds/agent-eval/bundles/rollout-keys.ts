/**
 * Keys of the databases of a bundle's rows, below an experiment's folder. They contain row ids unchanged, since the
 * loader has checked these.
 */
const VERSION_DIGITS = 6;

function rowFolder(rowId: string): string {
  return `runs/${rowId}`;
}

/** Returns the key of the seeded database that every rollout of the row begins with. */
export function baseKey(rowId: string): string {
  return `${rowFolder(rowId)}/base.db`;
}

/** Returns the key of the database at the end of a rollout. */
export function rolloutKey(rowId: string, rollout: string): string {
  return `${rowFolder(rowId)}/roll_${rollout}.db`;
}

/** Returns the key of a version's changed pages, by the SHA-256 of its bytes: rollouts with the same bytes share it. */
export function versionKey(rowId: string, sha256: string): string {
  return `${rowFolder(rowId)}/versions/${sha256}.pages`;
}

/** Returns the folder of the records of a rollout's tool calls. */
export function rolloutFolder(rowId: string, rollout: string): string {
  return `${rowFolder(rowId)}/roll_${rollout}`;
}

/** Returns the key of the record of the tool call that made a version. */
export function callKey(rowId: string, rollout: string, version: number): string {
  return `${rolloutFolder(rowId, rollout)}/${String(version).padStart(VERSION_DIGITS, '0')}.json`;
}
