/** A YAML mapping of some hundred bytes that would be a thousand million values. */
export function yamlBomb(): string {
  const tenfold = (value: string) => `[${Array(10).fill(value).join(', ')}]`;
  const lines = Array.from(
    { length: 8 },
    (_, level) => `a${level + 1}: &a${level + 1} ${tenfold(`*a${level}`)}`,
  );
  return [`a0: &a0 ${tenfold('x')}`, ...lines, ''].join('\n');
}
