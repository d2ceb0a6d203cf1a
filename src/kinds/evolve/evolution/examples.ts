import type { Json, JsonObject } from '../../../contracts/json.js';
import type { DatasetExample } from './types.js';

/**
 * Converts a row of a JSONL file to an example: `id` and `input` as they are, every other field in `scoring_data`.
 * Fields of an object `scoring_data` in the row, as other tools write it, are added there.
 * @param rowNumber from 1, as an editor counts lines.
 * @throws RangeError that names the row and the field.
 */
export function readExample(row: JsonObject, rowNumber: number): DatasetExample {
  const { id, input, ...fields } = row;
  const { scoring_data: nested, ...others } = fields;
  const isNested = typeof nested === 'object' && nested !== null && !Array.isArray(nested);
  const twice = isNested ? Object.keys(nested).find((name) => Object.hasOwn(others, name)) : undefined;
  const fault =
    idFault(id) ??
    (typeof input === 'string' ? null : "'input' is not a text") ??
    (twice === undefined ? null : `'${twice}' stands in the row and in its scoring_data`);
  if (fault !== null) throw new RangeError(`row ${rowNumber}: ${fault}`);
  return {
    id: String(id),
    input: input as string,
    scoring_data: isNested ? { ...others, ...nested } : fields,
  };
}

/**
 * Returns the row that {@link readExample} reads as this example.
 * @throws RangeError where a field for the scorer has the name of one of the example's own fields.
 */
export function exampleRow({ id, input, scoring_data }: DatasetExample): JsonObject {
  const taken = ['id', 'input', 'scoring_data'].find((name) => Object.hasOwn(scoring_data, name));
  if (taken !== undefined) {
    throw new RangeError(
      `example ${JSON.stringify(id)}: scoring_data has a field '${taken}', which is one of the example itself; give it another name`,
    );
  }
  return { id, input, ...scoring_data };
}

/** Checks that ids are unique. @throws RangeError that names both rows of a duplicate. */
export function checkUniqueIds(examples: readonly DatasetExample[]): void {
  const rows = new Map<string, number>();
  for (const [index, { id }] of examples.entries()) {
    const former = rows.get(id);
    if (former !== undefined) {
      throw new RangeError(`rows ${former} and ${index + 1} have the same id ${JSON.stringify(id)}`);
    }
    rows.set(id, index + 1);
  }
}

function idFault(id: Json | undefined): string | null {
  if (typeof id === 'number' && Number.isSafeInteger(id)) return null;
  if (typeof id !== 'string') return "'id' is neither a text nor a whole number";
  return id.trim() === '' ? "'id' is empty" : null;
}
