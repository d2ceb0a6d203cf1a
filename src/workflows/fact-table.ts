export type Fact = readonly [name: string, value: string];

/** Text in a cell of a table in Markdown. */
export function cellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** A table of names and values: the lines of its Markdown. */
export function factLines(facts: readonly Fact[], head = '| | |'): string[] {
  return [head, '| --- | --- |', ...facts.map(([name, value]) => `| ${name} | ${value} |`)];
}

/** The same below a heading, as the Temporal UI shows it. */
export function factTable(title: string, facts: readonly Fact[]): string[] {
  return [`### ${title}`, '', ...factLines(facts)];
}

/** Where an experiment writes, and why it does not go on, as far as either is known. */
export function closingFacts({ artifacts, message }: { artifacts: string; message: string | null }): Fact[] {
  const where: Fact[] = artifacts === '' ? [] : [['artifacts', `\`${artifacts}\``]];
  return message === null ? where : [...where, ['note', cellText(message)]];
}
