/** A table's lines as `name: value`. */
export function tableLines(table: string): string[] {
  return table
    .split('\n')
    .filter((line) => line.includes('│'))
    .map((line) =>
      line
        .split('│')
        .map((cell) => cell.trim())
        .filter((cell) => cell !== '')
        .join(': '),
    );
}
