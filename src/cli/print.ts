import { printable, printableJson } from '../contracts/printable.js';
import { toWellFormedJson } from '../contracts/well-formed.js';

/*
 * Commands write messages with these functions, which make control characters visible: messages may contain names,
 * messages and replies of others. Output that is passed on unchanged (rows, files, a chosen text that is piped) is an
 * exception.
 */

let write = (text: string): unknown => process.stdout.write(text);

/** Standard error, where the foot of the screen is drawn: text reaches the terminal unchanged. */
export const screen = Object.create(process.stderr, {
  write: { value: process.stderr.write.bind(process.stderr) },
}) as typeof process.stderr;

/**
 * Reserves standard output, which programs read, for {@link writeOut}. What a user's own code prints (an environment,
 * an agent, a scorer, a tool; here or in a thread, whose output comes through here) goes to standard error, with
 * control characters made visible.
 */
export function keepStandardOutput(): void {
  write = process.stdout.write.bind(process.stdout) as typeof write;
  for (const stream of [process.stdout, process.stderr]) {
    const decoder = new TextDecoder();
    const shown = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const done = rest.find((given) => typeof given === 'function') as (() => void) | undefined;
      return screen.write(printable(text), done);
    };
    stream.write = shown as typeof stream.write;
  }
}

/** Writes to standard output unchanged: rows, files, a chosen text that is piped. */
export function writeOut(text: string): void {
  write(text);
}

/** Prints a result for people on standard output. */
export function printText(text: string): void {
  writeOut(`${printable(text)}\n`);
}

let hasPrintedJson = false;

/** Prints why a command has no result, for a program that reads JSON; nothing where a result has been printed. */
export function printJsonError(message: string, exit_code: number): void {
  if (!hasPrintedJson) printJson({ error: { message, exit_code } });
}

/** Prints a result for programs on standard output. @param space as `JSON.stringify` takes it */
export function printJson(value: unknown, space = 2): void {
  hasPrintedJson = true;
  writeOut(`${printableJson(toWellFormedJson(value, space) ?? 'null')}\n`);
}

/** Prints a message for people on standard error. */
export function sayText(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
