import { printable, printableJson } from '../contracts/printable.js';
import { toWellFormedJson } from '../contracts/well-formed.js';

/*
 * What commands say goes through here: names, messages and replies of others stand in it, and a terminal acts on some
 * characters. What a command hands on as it is (rows, files, a chosen text that is piped) does not.
 */

/** A result that people read, on standard output. */
export function printText(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

let hasPrintedJson = false;

/** Why a command has no result, for a program that waits for one; nothing where it has been given one. */
export function printJsonError(message: string, exit_code: number): void {
  if (!hasPrintedJson) printJson({ error: { message, exit_code } });
}

/** A result that programs read, on standard output. @param space as `JSON.stringify` takes it */
export function printJson(value: unknown, space = 2): void {
  hasPrintedJson = true;
  process.stdout.write(`${printableJson(toWellFormedJson(value, space) ?? 'null')}\n`);
}

/** What is said beside the result, on standard error. */
export function sayText(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
