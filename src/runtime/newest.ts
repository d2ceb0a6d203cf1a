/**
 * Whether a message that says how things stand is newer than the newest so far: they may be repeated and overtaken. What
 * has no version, as in runs that began before there were any, always is.
 */
export function isNewer(message: { version?: number }, newest: { version?: number } | undefined): boolean {
  return message.version === undefined || message.version > (newest?.version ?? 0);
}
