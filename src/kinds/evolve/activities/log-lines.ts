import type { Logger } from 'pino';

/** Logs what people were told, each line at the time that it was said; without it, now. */
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
