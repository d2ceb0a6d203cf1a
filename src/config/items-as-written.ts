import { isMapping } from '../contracts/json.js';
import { templateNames } from '../contracts/template.js';
import { asTexts, asValues } from './yaml-text.js';

/**
 * Returns the rows of a parsed `dataset` section. Questions, targets, ids and choices are texts, so `1.10` is "1.10";
 * fields that are only passed to an environment by `meta_fields` stay numbers.
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

/** Returns the field names in paths; for `metadata.ID` also `metadata`. */
function namesIn(paths: unknown): string[] {
  const texts = (Array.isArray(paths) ? paths : [paths]).filter((path) => typeof path === 'string');
  return texts.flatMap((path) => [path, path.split('.', 1)[0] ?? '']);
}

/** Reports whether a field of a row is shown, is compared or is the id. */
function isShown(name: string, section: Record<string, unknown>): boolean {
  const { input_field = 'question', target_field = 'answer', choices_field, id_field } = section;
  const fields = [input_field, target_field, id_field, choices_field].flat();
  const { prompt_template, system, few_shot } = section;
  const answers = isMapping(few_shot) ? few_shot.answer_template : undefined;
  const placeholders = [prompt_template, system, answers].flatMap(placeholdersOf);
  return namesIn([...fields, ...placeholders]).includes(name);
}

/** Returns the placeholders of a template; none of one that is refused later. */
function placeholdersOf(template: unknown): string[] {
  try {
    return typeof template === 'string' ? templateNames(template) : [];
  } catch {
    return [];
  }
}
