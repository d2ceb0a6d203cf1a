/** Maps each `{` of a text to its `}`; escaped braces (`\{`) are not counted. Linear in the text. */
export function matchBraces(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let position = 0; position < text.length; position++) {
    const character = text[position];
    if (character === '\\') position += 1;
    else if (character === '{') open.push(position);
    else if (character === '}') {
      const start = open.pop();
      if (start !== undefined) pairs.set(start, position);
    }
  }
  return pairs;
}
