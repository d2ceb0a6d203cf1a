import { Template } from '@huggingface/jinja';
import { isMapping } from '../../../contracts/json.js';

/** Variables of the environment, which may be keys. */
const OF_ENVIRONMENT = /\{\{-?\s*env\b/;
const PLAIN = /\{\{-?\s*([A-Za-z_][\w.]*)\s*-?\}\}/g;
const ALONE = new RegExp(`^\\s*${PLAIN.source}\\s*$`);

/** Fills variables into a template of promptfoo's (Nunjucks, which is Jinja's language); null where that fails. */
export function rendered(template: string, vars: Record<string, unknown>): string | null {
  if (!/\{[{%#]/.test(template)) return template;
  if (OF_ENVIRONMENT.test(template)) return null;
  try {
    // Jinja drops the last line end.
    return new Template(template).render(vars) + (template.endsWith('\n') ? '\n' : '');
  } catch {
    return null;
  }
}

/** Returns the list that a template stands for which is one variable and nothing else; null for any other. */
export function listVariable(template: string, vars: Record<string, unknown>): unknown[] | null {
  const [, path = ''] = ALONE.exec(template) ?? [];
  const inner = (value: unknown, name: string) => (isMapping(value) ? value[name] : undefined);
  const value = path.split('.').reduce<unknown>(inner, vars);
  return Array.isArray(value) ? value : null;
}

/**
 * Converts a template to `dataset.prompt_template`, whose placeholders are `{field}`.
 * @param field of the row, in which the variables are
 * @returns also the variables that it names; null where it does more than insert variables
 */
export function promptTemplate(
  template: string,
  field: string,
): { template: string; names: string[] } | null {
  if (OF_ENVIRONMENT.test(template) || /\{[%#]/.test(template)) return null;
  if (/\{\{/.test(template.replace(PLAIN, ''))) return null;
  const names: string[] = [];
  let end = 0;
  let converted = '';
  const literal = (text: string) => text.replace(/[{}]/g, '$&$&');
  for (const match of template.matchAll(PLAIN)) {
    const name = match[1] as string;
    converted += `${literal(template.slice(end, match.index))}{${field}.${name}}`;
    end = match.index + match[0].length;
    names.push(name);
  }
  return { template: converted + literal(template.slice(end)), names };
}
