/** Nothing in a config is replaced, so that it says by itself what an experiment was made with. */
export const NOTHING_REPLACED = `\${NAME}, $NAME and ~ stand for themselves in a config: write out what they mean`;

const VARIABLE = /\$\{|\$[A-Za-z_]|^~$/;

/** Whether a name, or a part of a path, has what a shell or another tool would have replaced. */
export function hasVariable(text: string): boolean {
  return text.split('/').some((part) => VARIABLE.test(part));
}

/** A path as far as the first part with a variable in it; null where there is none. */
export function upToVariable(path: string): string | null {
  const parts = path.split('/');
  const first = parts.findIndex((part) => VARIABLE.test(part));
  return first < 0 ? null : parts.slice(0, first + 1).join('/');
}
