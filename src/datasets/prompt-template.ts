import { closestWord } from '../config/errors.js';
import { TemplateError, type TemplatePart, templateParts } from '../contracts/template.js';
import { DatasetError } from './dataset-error.js';
import { fieldNames, kindAt, scalarText, valueAt } from './fields.js';
import { type DatasetRow, jsonText } from './row.js';

/** @param given values of names that come before the row's fields */
export type PromptFormatter = (
  row: DatasetRow,
  rowNumber: number,
  given?: Readonly<Record<string, string>>,
) => string;

/**
 * Compiles a template ({@link templateParts}) whose placeholders are fields of a row; dotted paths work. `{question}` is
 * the row's `input_field` where the row has no field of that name. Lists and objects are inserted as JSON, null as an
 * empty text.
 * @param field of the config, for messages.
 * @throws DatasetError for a lone brace; the formatter throws one for a placeholder without a field in the row.
 */
export function compilePromptTemplate(template: string, inputField: string, field: string): PromptFormatter {
  const parts = parse(template, field);
  return (row, rowNumber, given = {}) =>
    parts
      .map((part) => {
        if ('text' in part) return part.text;
        const { name } = part;
        if (Object.hasOwn(given, name)) return given[name] as string;
        return fill(name, row, rowNumber, { inputField, field });
      })
      .join('');
}

function parse(template: string, field: string): TemplatePart[] {
  try {
    return templateParts(template);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new DatasetError(`${field}: ${error.message}`, field);
  }
}

function fill(
  placeholder: string,
  row: DatasetRow,
  rowNumber: number,
  { inputField, field }: { inputField: string; field: string },
): string {
  const isOwn = placeholder !== 'question' || valueAt(row, placeholder) !== undefined;
  const path = isOwn ? placeholder : inputField;
  const value = valueAt(row, path);
  if (value === undefined) {
    const guess = closestWord(placeholder, Object.keys(row));
    throw new DatasetError(
      `the placeholder {${placeholder}} (${field}) is no field of row ${rowNumber}${guess === null ? '' : `, did you mean {${guess}}?`}; its fields are: ${fieldNames(row)}; write {{${placeholder}}} for the braces themselves`,
      field,
    );
  }
  // Null means that there is nothing to show; NaN and the infinities may mean anything.
  if (value === null) {
    const kind = kindAt(row, path);
    if (kind === 'null') return '';
    throw new DatasetError(
      `row ${rowNumber}: '${path}', which {${placeholder}} shows (${field}), is ${kind}; write null where there is nothing to show`,
      field,
    );
  }
  return scalarText(value) ?? jsonText(value);
}
