import { locate, type OpenStore } from '../../../activities/locate.js';
import { InvalidInputError } from '../../../config/errors.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { asError } from '../../../contracts/run-user-code.js';
import { parsePlainJson } from '../../../datasets/json-text.js';
import { JsonLinesError, readNumberedJsonLines } from '../../../storage/json-lines.js';
import type { Domain } from '../evolution/domains/domain.js';
import { readExample } from '../evolution/examples.js';
import type { DatasetExample } from '../evolution/types.js';

/** Maximum faulty rows in a message. */
const FAULTS_SHOWN = 5;

/**
 * Reads the examples of a file of JSON lines, each checked by its domain.
 * @param address a path of this machine, or `s3://bucket/key`.
 * @throws InvalidInputError that names the field, the file and the first faulty rows, by their lines.
 */
export async function readExampleFile(
  openStore: OpenStore,
  address: string,
  field: string,
  domain: Pick<Domain, 'findFault'>,
): Promise<DatasetExample[]> {
  const { store, key } = locate(openStore, address);
  const stream = await store.openRead(key);
  if (stream === null) throw new InvalidInputError(`${field}: there is no file at ${address}`, field);
  const examples: DatasetExample[] = [];
  const faults: string[] = [];
  const lines = new Map<string, number>();
  try {
    for await (const { line, value } of readNumberedJsonLines(stream, {
      name: address,
      parse: parsePlainJson,
    })) {
      const read = readRow(value, line, domain, lines);
      if (typeof read === 'string') faults.push(read);
      else examples.push(read);
    }
  } catch (error) {
    if (!(error instanceof JsonLinesError)) throw error;
    throw new InvalidInputError(`${field}: ${error.message}`, field);
  }
  if (faults.length > 0) throw new InvalidInputError(faultMessage(field, address, faults), field);
  if (examples.length === 0) throw new InvalidInputError(`${field}: ${address} has no rows`, field);
  return examples;
}

/** Returns the example of a row, or what is wrong with it. */
function readRow(
  row: Json,
  line: number,
  domain: Pick<Domain, 'findFault'>,
  lines: Map<string, number>,
): DatasetExample | string {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    return `row ${line}: is no JSON object with id and input`;
  }
  let example: DatasetExample;
  try {
    example = readExample(row as JsonObject, line);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
  const former = lines.get(example.id);
  if (former !== undefined) return `row ${line}: has the id of row ${former}, ${JSON.stringify(example.id)}`;
  lines.set(example.id, line);
  const fault = faultOf(domain, example);
  return fault === null ? example : `row ${line} (${example.id}): ${fault}`;
}

/** Returns what a domain finds wrong with an example. A custom one may throw on a row of another form. */
export function faultOf(domain: Pick<Domain, 'findFault'>, example: DatasetExample): string | null {
  try {
    return domain.findFault(example);
  } catch (error) {
    return `findFault failed: ${asError(error).message}`;
  }
}

function faultMessage(field: string, address: string, faults: readonly string[]): string {
  const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `  ${fault}`);
  const more = faults.length - shown.length;
  return [
    `${field}: ${address} has ${faults.length === 1 ? 'a faulty row' : `${faults.length} faulty rows`}:`,
    ...shown,
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ].join('\n');
}
