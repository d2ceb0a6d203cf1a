import { asError, ThrownValue } from './run-user-code.js';

/** End of a frame of a stack trace: `at f (/own/agent.ts:12:5)`, `at async file:///own/agent.ts:12:5`. */
const LINE_AND_COLUMN = /:(\d+):\d+\)?$/;

/**
 * Returns where a user's code threw, such as `agent.ts:12`: the first frame of the error's stack in or below the folder
 * of the file that the config names. Undefined if there is none.
 */
export function placeOfError({ stack }: Pick<Error, 'stack'>, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  for (const line of (stack ?? '').split('\n')) {
    const [end, number] = LINE_AND_COLUMN.exec(line) ?? [''];
    const at = line.indexOf(folder);
    if (end === '' || at === -1 || line.includes('/node_modules/', at)) continue;
    return `${line.slice(at + folder.length, -end.length)}:${number}`;
  }
  return undefined;
}

/** Returns the message of an error, with its place in the user's code. */
export function messageWithPlace(error: unknown, file: string | undefined): string {
  const thrown = asError(error);
  const { message } = thrown;
  const isNamed = thrown instanceof ThrownValue && file !== undefined;
  const place = placeOfError(thrown, file) ?? (isNamed ? file.slice(file.lastIndexOf('/') + 1) : undefined);
  return place === undefined ? message : `${message} (${place})`;
}
