import { asError, ThrownValue } from './run-user-code.js';

/** How a frame of a stack trace ends: `at f (/own/agent.ts:12:5)`, `at async file:///own/agent.ts:12:5`. */
const LINE_AND_COLUMN = /:(\d+):\d+\)?$/;

/**
 * Where code of a user's own threw: `agent.ts:12`, by the first frame of the error's stack in the folder of the file that
 * the config names, or below it. Undefined where there is none.
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

/** The message of what was thrown, with the place in the user's code that it comes from. */
export function messageWithPlace(error: unknown, file: string | undefined): string {
  const thrown = asError(error);
  const { message } = thrown;
  const isNamed = thrown instanceof ThrownValue && file !== undefined;
  const place = placeOfError(thrown, file) ?? (isNamed ? file.slice(file.lastIndexOf('/') + 1) : undefined);
  return place === undefined ? message : `${message} (${place})`;
}
