import { z } from 'zod';
import { TemplateError, templateNames } from '../contracts/template.js';
import { closestWord } from './errors.js';

/** Placeholders of a template. */
export interface Placeholders {
  /** Those that it may have; null: any, such as the fields of rows that are not read yet. */
  known: readonly string[] | null;
  /** Those that it must have. */
  required?: readonly string[];
}

/** Returns what is wrong with a template; null if nothing is. */
export function templateFault(template: string, { known, required = [] }: Placeholders): string | null {
  let names: string[];
  try {
    names = templateNames(template);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.message;
  }
  const unknown = known === null ? undefined : names.find((name) => !known.includes(name));
  if (known !== null && unknown !== undefined) {
    const guess = closestWord(unknown, known);
    const meant = guess === null ? '' : `, did you mean {${guess}}?`;
    const listed = known.map((name) => `{${name}}`).join(', ');
    return `the placeholder {${unknown}} is not known${meant} (there ${known.length === 1 ? 'is' : 'are'} ${listed}); write {{${unknown}}} for the braces themselves`;
  }
  const missing = required.find((name) => !names.includes(name));
  return missing === undefined ? null : `the template must contain {${missing}}`;
}

/** Creates the schema of a template. */
export function templateSchema(placeholders: Placeholders) {
  return z.string().superRefine((text, context) => {
    const message = templateFault(text, placeholders);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}
