/** Collects a repeatable option. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
