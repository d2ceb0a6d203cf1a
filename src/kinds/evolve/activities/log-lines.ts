import type { Logger } from 'pino';

/** Logs progress lines, each with its time, or with the current one if it has none. */
export function logLines(
  log: Logger,
  { lines, line_times = [] }: { lines: readonly string[]; line_times?: readonly number[] },
  names: object = {},
): void {
  for (const [index, line] of lines.entries()) {
    const said = line_times[index];
    log.info(said === undefined ? { ...names } : { time: new Date(said).toISOString(), ...names }, line);
  }
}
