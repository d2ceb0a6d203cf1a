import { describe, expect, test } from 'vitest';
import {
  fnv1a128,
  normalizePython,
  rejectDuplicates,
  summarizeCode,
} from '../../../../src/kinds/evolve/evolution/duplicates.js';
import { scanPython } from '../../../../src/kinds/evolve/evolution/python-source.js';
import type { ScaffoldFiles } from '../../../../src/kinds/evolve/evolution/types.js';
import { createRandom, shuffled } from '../../../../src/statistics/random.js';
import { pick } from './support.js';

const PROGRAM = `import json  # for later

# A helper.
def process_input(input_string):
    text = "# no comment"   # but this is one
    prompt = f"""Solve:

    # {input_string["a"]}  {{x}}
"""
    return text + prompt
`;

const fingerprintOf = (files: ScaffoldFiles) => summarizeCode(files).fingerprint;

const same = (source: string) =>
  fingerprintOf({ 'scaffold.py': source }) === fingerprintOf({ 'scaffold.py': PROGRAM });

describe('a duplicate', () => {
  test.each([
    ['other line ends', PROGRAM.replaceAll('\n', '\r\n')],
    [
      'white space at line ends',
      PROGRAM.replace('json  #', 'json #').replace('# A helper.', '# A helper.   '),
    ],
    ['more and fewer blank lines', `\n\n${PROGRAM.replace('later\n\n#', 'later\n#')}\n\n`],
    [
      'other comments',
      PROGRAM.replace('for later', 'soon').replace('# A helper.\n', '').replace('one\n', 'one "\n'),
    ],
  ])('is one with %s', (_, source) => {
    expect(source).not.toBe(PROGRAM);
    expect(same(source)).toBe(true);
  });

  test.each([
    ['a string that looks like a comment', PROGRAM.replace('# no comment', '# no')],
    ['a blank line in a string', PROGRAM.replace('Solve:\n\n', 'Solve:\n')],
    ['white space at a line’s end in a string', PROGRAM.replace('Solve:\n', 'Solve: \n')],
    ['a comment sign in a string', PROGRAM.replace('    # {', '    {')],
    ['other indentation', PROGRAM.replace('    text', '     text').replace('    return', '     return')],
    ['another name', PROGRAM.replaceAll('text', 'words')],
  ])('is none with %s', (_, source) => {
    expect(source).not.toBe(PROGRAM);
    expect(same(source)).toBe(false);
  });

  test('is none where a backslash joins the next line', () => {
    const distinct = [
      'x = 1 \\\n\n+ 2\n',
      'x = 1 \\\n+ 2\n',
      // A backslash with a space behind it is an error.
      'x = 1 \\ \n+ 2\n',
      'x = 1\n+ 2\n',
    ];
    expect(new Set(distinct.map((source) => fingerprintOf({ 'scaffold.py': source }))).size).toBe(4);
    const twice = 'x = 1 \\\n\n\n+ 2\n';
    expect(normalizePython(twice)).toBe(normalizePython(distinct[0] as string));
    expect(normalizePython('x = 1 \\\n# why\n+ 2\n')).toBe(normalizePython(distinct[0] as string));
  });

  test('has the same files under the same names', () => {
    const files = { 'scaffold.py': PROGRAM, 'data.json': '[1]\n' };
    expect(fingerprintOf({ 'data.json': '[1]\n', 'scaffold.py': PROGRAM })).toBe(fingerprintOf(files));
    const others: ScaffoldFiles[] = [
      { 'scaffold.py': PROGRAM },
      { 'scaffold.py': PROGRAM, 'data.txt': '[1]\n' },
      { 'scaffold.py': PROGRAM, 'data.json': '[1] \n' },
      { 'scaffold.py': PROGRAM, 'data.json': '# [1]\n' },
      { 'scaffold.py': `${PROGRAM}[1]\n`, 'data.json': '' },
    ];
    expect(new Set([files, ...others].map(fingerprintOf)).size).toBe(others.length + 1);
  });

  test('is found whichever of two was finished first, and never in what it was made from', () => {
    const newcomers = [
      { id: '10', fingerprint: 'a' },
      { id: '2-0', fingerprint: 'a' },
      { id: '3', fingerprint: 'b' },
      { id: '4', fingerprint: 'c' },
    ];
    const earlier = [
      { id: '1', fingerprint: 'b' },
      { id: '0', fingerprint: 'b' },
    ];
    for (const seed of [1, 2, 3, 4]) {
      expect(
        rejectDuplicates(shuffled(newcomers, createRandom(seed)), shuffled(earlier, createRandom(seed))),
      ).toEqual({
        kept: ['2-0', '4'],
        rejected: [
          { id: '3', duplicate_of: '0' },
          { id: '10', duplicate_of: '2-0' },
        ],
      });
    }
  });
});

describe('the scanner', () => {
  const PIECES = [
    '"',
    "'",
    '"""',
    "'''",
    '#',
    '\n',
    '\\',
    'f"',
    'r"',
    "rf'",
    '{',
    '}',
    '{{',
    'x',
    ' ',
    '"a"',
    '(',
    ')',
    '\0',
    '\r',
  ];

  test('loses no character of any text, and never hangs', () => {
    const random = createRandom('scanner');
    for (let round = 0; round < 5_000; round += 1) {
      const source = Array.from({ length: 1 + Math.floor(random() * 40) }, () => pick(PIECES, random)).join(
        '',
      );
      const { segments } = scanPython(source);
      expect(segments.map(({ text }) => text).join('')).toBe(source);
      // Normalising a second time changes nothing, or two ways to one program would differ.
      expect(normalizePython(normalizePython(source)), JSON.stringify(source)).toBe(normalizePython(source));
    }
  });

  test.each([
    ['x = """a\n', true],
    ["x = '''a ``` ", true],
    ['x = """a"""\n', false],
    ['x = "a\n', false],
    ['# """\n', false],
    ['x = "\\"" # """', false],
    ['x = f"""{y["""a"""]} """', false],
    ['x = rb"""\\"""', true],
  ])('%j ends inside a long string: %s', (source, inside) => {
    expect(scanPython(source).endsInString).toBe(inside);
  });

  test('takes deep nesting', () => {
    expect(() => scanPython(`x = ${'f"{'.repeat(100_000)}`)).not.toThrow();
    expect(() => scanPython(`x = ${'f"""{'.repeat(100_000)}`)).not.toThrow();
  });
});

test('traits count code, not comments, and calls of the model, not mentions of it', () => {
  const source = `from llm_executor import execute_llm
# execute_llm("a comment")
HELP = "execute_llm('a string')"
def execute_llm_twice(x):
    return execute_llm(x) + execute_llm (x)
`;
  expect(summarizeCode({ 'scaffold.py': source, 'notes.md': 'execute_llm()' }).traits).toEqual({
    characters: normalizePython(source).length,
    model_calls: 2,
  });
  expect(summarizeCode({ 'scaffold.py': 'def execute_llm(x): pass\n# much text\n' }).traits.model_calls).toBe(
    0,
  );
});

test('the hash has the values of its definition', () => {
  // RFC 9923, appendix C.
  expect(fnv1a128('')).toBe('6c62272e07bb014262b821756295c58d');
  expect(fnv1a128('a')).toBe('d228cb696f1a8caf78912b704e4a8964');
  expect(fnv1a128('foobar')).toBe('343e1662793c64bf6f0d3597ba446f18');
});
