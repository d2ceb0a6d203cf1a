/** Part of a template: a text as it is, or the name of a placeholder. */
export type TemplatePart = { text: string } | { name: string };

/** A template whose braces are neither placeholders nor escaped. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Parses a template, the one grammar of all templates of configs: `{name}` is a placeholder, `{{` and `}}` are braces.
 * Spaces around a name do not count.
 * @throws TemplateError for any other brace, with its position.
 */
export function templateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    const [token, name = ''] = match;
    if (match.index > end) parts.push({ text: template.slice(end, match.index) });
    end = match.index + token.length;
    if (token === '{{' || token === '}}') parts.push({ text: token.slice(1) });
    else if (name.trim() !== '') parts.push({ name: name.trim() });
    else {
      const doubled = token.replaceAll(/[{}]/g, '$&$&');
      throw new TemplateError(
        `'${token}' at character ${match.index + 1} of the template is no placeholder; write ${doubled} for ${token.length > 1 ? 'the braces themselves' : 'the brace itself'}`,
      );
    }
  }
  if (end < template.length) parts.push({ text: template.slice(end) });
  return parts;
}

/** Returns the names of a template's placeholders. @throws TemplateError */
export function templateNames(template: string): string[] {
  return templateParts(template).flatMap((part) => ('name' in part ? [part.name] : []));
}

/** Fills in a template. Values are inserted as they are. @throws TemplateError, also for a name without a value. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return templateParts(template)
    .map((part) => {
      if ('text' in part) return part.text;
      if (Object.hasOwn(values, part.name)) return values[part.name] as string;
      throw new TemplateError(`the placeholder {${part.name}} of the template has no value`);
    })
    .join('');
}
