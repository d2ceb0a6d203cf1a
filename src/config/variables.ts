/** Message about variables: they are not replaced, so that a config is a complete record of its experiment. */
export const NOTHING_REPLACED = `\${NAME}, $NAME and ~ stand for themselves in a config: write out what they mean`;

const VARIABLE = /\$\{|\$[A-Za-z_]|^~$/;

/** Reports whether a name, or a part of a path, contains a variable that a shell would replace. */
export function hasVariable(text: string): boolean {
  return text.split('/').some((part) => VARIABLE.test(part));
}

/** Returns a path up to the first part with a variable; null if there is none. */
export function upToVariable(path: string): string | null {
  const parts = path.split('/');
  const first = parts.findIndex((part) => VARIABLE.test(part));
  return first < 0 ? null : parts.slice(0, first + 1).join('/');
}
