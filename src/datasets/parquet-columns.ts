import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { type Cell, toJson } from './row.js';
import { decimalAsWritten, singleAsWritten } from './written-numbers.js';

type Convert = (value: unknown) => Cell;

function isDecimal({ converted_type, logical_type }: SchemaElement): boolean {
  return converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL';
}

/** Copies metadata so that hyparquet reads decimals as raw digits; by itself it rounds them to numbers. */
export function withRawDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (!isDecimal(element)) return element;
    const { converted_type: _, logical_type: __, ...raw } = element;
    return raw;
  });
  return { ...metadata, schema };
}

/** Builds the converter of hyparquet's rows from their schema. */
export function columnConverters({ children }: SchemaTree): Convert {
  const columns = structure(children);
  return (row) => columns(row);
}

function structure(children: readonly SchemaTree[]): Convert {
  const byName = new Map(children.map((child) => [child.element.name, converterFor(child)]));
  return (value) =>
    Object.fromEntries(
      Object.entries(value as object).map(([name, inner]) => [name, (byName.get(name) ?? other)(inner)]),
    );
}

function converterFor(node: SchemaTree): Convert {
  const convert = valueConverter(node);
  return (value) => (value === null || value === undefined ? null : convert(value));
}

function valueConverter(node: SchemaTree): Convert {
  const { element, children } = node;
  if (children.length === 0) return each(leafConverter(element));
  if (!leavesOf(node).some(isExact)) return other;
  const [inner] = children;
  if (element.converted_type === 'LIST' && inner !== undefined) {
    const [item] = inner.children;
    return each(converterFor(inner.children.length === 1 && item !== undefined ? item : inner));
  }
  if (element.converted_type === 'MAP' && inner?.children.length === 2) {
    const item = converterFor(inner.children[1] as SchemaTree);
    return (value) =>
      Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, item(one)]));
  }
  return each(structure(children));
}

/** Converts a value or a list of values: a repeated field need not be marked as a list. */
function each(convert: Convert): Convert {
  return (value) =>
    Array.isArray(value) ? value.map((item) => (item == null ? null : convert(item))) : convert(value);
}

function leavesOf({ element, children }: SchemaTree): SchemaElement[] {
  return children.length === 0 ? [element] : children.flatMap(leavesOf);
}

/** Reports whether a number needs more than JavaScript's own conversion. */
function isExact(element: SchemaElement): boolean {
  return isDecimal(element) || element.type === 'FLOAT';
}

function leafConverter(element: SchemaElement): Convert {
  if (isDecimal(element)) {
    const scale = element.scale ?? 0;
    return (value) => decimalAsWritten(wholeNumber(value), scale);
  }
  if (element.type === 'FLOAT') return (value) => toJson(singleAsWritten(value as number));
  return other;
}

/** Reads the digits of a decimal: a number, or big-endian bytes in two's complement. */
function wholeNumber(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

/** Converts other values. Some writers store text as unmarked bytes. */
function other(value: unknown): Cell {
  return toJson(value, 'text-if-utf8');
}
