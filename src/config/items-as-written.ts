import { isMapping } from '../contracts/json.js';
import { asTexts, asValues } from './yaml-text.js';

/**
 * The rows of a `dataset` section that was parsed. A question, a target, an id and a choice are texts, so `1.10` is "1.10";
 * what only `meta_fields` hands on to an environment stays a number.
 */
export function itemsAsWritten(section: Record<string, unknown>): unknown {
  const { items, meta_fields } = section;
  if (!Array.isArray(items)) return asValues(items);
  const calculated = namesIn(meta_fields).filter((name) => !isShown(name, section));
  return items.map((item) => {
    if (!isMapping(item)) return asTexts(item);
    return Object.fromEntries(
      Object.entries(item).map(([name, value]) => [
        name,
        calculated.includes(name) ? asValues(value) : asTexts(value),
      ]),
    );
  });
}

/** Fields of a row, of paths such as `metadata.ID` as well the first. */
function namesIn(paths: unknown): string[] {
  const texts = (Array.isArray(paths) ? paths : [paths]).filter((path) => typeof path === 'string');
  return texts.flatMap((path) => [path, path.split('.', 1)[0] ?? '']);
}

/** Whether a field of a row is shown, is compared or is the id. */
function isShown(name: string, section: Record<string, unknown>): boolean {
  const { input_field = 'question', target_field = 'answer', choices_field, id_field } = section;
  const fields = [input_field, target_field, id_field, choices_field].flat();
  const template = typeof section.prompt_template === 'string' ? section.prompt_template : '';
  const placeholders = Array.from(template.matchAll(/\{([^{}]*)\}/g), ([, path = '']) => path.trim());
  return namesIn([...fields, ...placeholders]).includes(name);
}
