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
    ["['red' 'green']", ['red', 'green']],
    ["['say \"a\" \\'b\\''\n \"it's\" None]", ['say "a" \'b\'', "it's", null]],
    ['[0. 1. -2.5 nan]', [0, 1, -2.5, null]],
    ['[ True False]', [true, false]],
    [
      "{'text': array(['red', 'array(x'],\n      dtype=object), 'label': array(['A', 'B'], dtype='<U1')}",
      { text: ['red', 'array(x'], label: ['A', 'B'] },
    ],
    [
      "[array([1, 2]) array([], dtype=int64)\n array(['], dtype=object)'], dtype=object)]",
      [[1, 2], [], ['], dtype=object)']],
    ],
    [
      "[np.str_('a (b)'), np.str_(\"it's\"), np.int64(3), np.float64(1.5), np.True_, 'np.int64(1)']",
      ['a (b)', "it's", 3, 1.5, true, 'np.int64(1)'],
    ],
    ["[{'role': 'user'}\n {'role': 'assistant'}]", [{ role: 'user' }, { role: 'assistant' }]],
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
    "['red' ... 'green']",
    "['red' - 'green']",
    "['it''s']",
    "['red'] ['green']",
    '[red green]',
    '[1 2',
    '[1] Smith 2020',
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
