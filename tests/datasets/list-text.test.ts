import { describe, expect, test } from 'vitest';
import { parseListText } from '../../src/datasets/list-text.js';
import { plainJson } from '../../src/datasets/row.js';

describe('the text of a list or an object', () => {
  test.each<[string, unknown]>([
    ['["red", 1.5, null]', ['red', 1.5, null]],
    [' {"A": [true]}', { A: [true] }],
    ["['red', 'green']", ['red', 'green']],
    ["['$6', \"it's\"]", ['$6', "it's"]],
    ["['say \"hi\"', 'it\\'s', '']", ['say "hi"', "it's", '']],
    ["['(a, b]', '{True}', 'None,]']", ['(a, b]', '{True}', 'None,]']],
    [
      "{'A': 'x', 'B': None, 'C': [True, False, -1.5, nan]}",
      { A: 'x', B: null, C: [true, false, -1.5, null] },
    ],
    ["('red', 'green',)", ['red', 'green']],
    [
      "[('a', 1), ('b', 2),]",
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    ["['a',\n 'b']", ['a', 'b']],
    [
      "['\\\\frac{1}{2}', 'a\\tb\\n', '\\x41\\u00e9\\U0001f600\\101', '\\d']",
      ['\\frac{1}{2}', 'a\tb\n', 'Aé😀A', '\\d'],
    ],
    ['[]', []],
  ])('%j is read', (text, value) => {
    const found = parseListText(text);
    expect(found === undefined ? found : plainJson(found)).toEqual(value);
  });

  test('numbers in it are as they are written', () => {
    expect(parseListText("['x', 12345678901234567890]")).toEqual(['x', '12345678901234567890']);
  });

  test.each([
    'red',
    "'red', 'green'",
    '(A) red (B) green',
    '(1)',
    '(2, 5)',
    '[red, green]',
    "['red' 'green']",
    "['red', 'green'",
    "['it's']",
    "{'a', 'b'}",
    "['\\U99999999']",
    "['a'] and ['b']",
    '',
  ])('%j is another', (text) => {
    expect(parseListText(text)).toBeUndefined();
  });
});
