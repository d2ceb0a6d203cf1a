import { DatasetError } from './dataset-error.js';
import { fieldNames, kindAt, scalarText, valueAt } from './fields.js';
import { jsonText, type Row } from './row.js';

type Part = { text: string } | { placeholder: string };

export type PromptFormatter = (row: Row, rowNumber: number) => string;

/**
 * Compiles a template with `{field}` placeholders; dotted paths work, `{{` and `}}` stand for braces. `{question}` is
 * the row's `input_field` where the row has no field of that name. Lists and objects are inserted as JSON, null as an
 * empty text.
 * @throws DatasetError for a lone brace; the formatter throws one for a placeholder without a field in the row.
 */
export function compilePromptTemplate(template: string, inputField: string, field: string): PromptFormatter {
  const parts = parse(template, field);
  return (row, rowNumber) =>
    parts
      .map((part) =>
        'text' in part ? part.text : fill(part.placeholder, row, rowNumber, { inputField, field }),
      )
      .join('');
}

function fill(
  placeholder: string,
  row: Row,
  rowNumber: number,
  { inputField, field }: { inputField: string; field: string },
): string {
  const isOwn = placeholder !== 'question' || valueAt(row, placeholder) !== undefined;
  const path = isOwn ? placeholder : inputField;
  const value = valueAt(row, path);
  if (value === undefined) {
    throw new DatasetError(
      `the placeholder {${placeholder}} (${field}) is no field of row ${rowNumber}; its fields are: ${fieldNames(row)}`,
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

function parse(template: string, field: string): Part[] {
  const parts: Part[] = [];
  const tokens = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;
  let end = 0;
  for (const match of template.matchAll(tokens)) {
    parts.push({ text: template.slice(end, match.index) });
    end = match.index + match[0].length;
    if (match[0] === '{{' || match[0] === '}}') parts.push({ text: match[0].slice(1) });
    else if (match[1] !== undefined && match[1].trim() !== '') parts.push({ placeholder: match[1].trim() });
    else {
      throw new DatasetError(
        `'${match[0]}' at character ${match.index + 1} of the template (${field}) is no placeholder; write {{ or }} for a brace`,
        field,
      );
    }
  }
  parts.push({ text: template.slice(end) });
  return parts;
}
