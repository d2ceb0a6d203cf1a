import { describe, expect, test } from 'vitest';
import { outputBlock, requestedCode, shownResult } from '../../src/agents/dynamic-cheatsheet/code-rounds.js';
import { sheetIn } from '../../src/agents/dynamic-cheatsheet/sheet-in.js';
import { ended } from './cheatsheet-bench.js';

const FLAG = 'EXECUTE CODE!';
const block = (code: string, language = 'python') => `\`\`\`${language}\n${code}\n\`\`\``;

describe('a program is asked for', () => {
  test.each<[string, string, string]>([
    ['by the flag right after a block', `Let me see.\n${block('print(1)')}\n${FLAG}`, 'print(1)\n'],
    ['after empty lines', `${block('print(1)')}\n \n\n\t${FLAG}`, 'print(1)\n'],
    ['on the fence’s own line', `${block('print(1)')} ${FLAG}`, 'print(1)\n'],
    ['in bold', `${block('print(1)')}\n\n**${FLAG}**`, 'print(1)\n'],
    ['as inline code', `${block('print(1)')}\n\`${FLAG}\``, 'print(1)\n'],
    ['as a heading', `${block('print(1)')}\n### ${FLAG}`, 'print(1)\n'],
    ['with several lines', `${block('a = 1\n\nprint(a)')}\n${FLAG}`, 'a = 1\n\nprint(a)\n'],
    ['by py', `${block('print(1)', 'py')}\n${FLAG}`, 'print(1)\n'],
    ['by python3', `${block('print(1)', 'python3')}\n${FLAG}`, 'print(1)\n'],
    ['by Python', `${block('print(1)', 'Python')}\n${FLAG}`, 'print(1)\n'],
    ['by a space before the language', `${block('print(1)', ' python ')}\n${FLAG}`, 'print(1)\n'],
    [
      'with the line ends of another system',
      `${block('print(1)').replaceAll('\n', '\r\n')}\r\n${FLAG}\r\n`,
      'print(1)\r\n',
    ],
    [
      'of several blocks the one before the flag',
      `${block('print(1)')}\nor better\n${block('print(2)')}\n${FLAG}`,
      'print(2)\n',
    ],
    [
      'of several flags the first one',
      `${block('print(1)')}\n${FLAG}\nOutput: 1\n${block('print(2)')}\n${FLAG}`,
      'print(1)\n',
    ],
    [
      'also where prose spoke of the flag before',
      `I will write ${FLAG} when I am ready.\n${block('print(1)')}\n${FLAG}`,
      'print(1)\n',
    ],
    [
      'also where a block that is no Python had a flag before',
      `${block('ls', 'bash')}\n${FLAG}\n${block('print(1)')}\n${FLAG}`,
      'print(1)\n',
    ],
    [
      'that names the flag itself',
      `${block(`print("${FLAG}")\nprint(2)`)}\n${FLAG}`,
      `print("${FLAG}")\nprint(2)\n`,
    ],
    ['with a fence of four', `\`\`\`${block('print(1)').slice(3, -3)}\`\`\`\`\n${FLAG}`, 'print(1)\n'],
    ['with a fence inside of a text', `${block('print("```", 1)')}\n${FLAG}`, 'print("```", 1)\n'],
    ['closed on the last line', `\`\`\`python\nprint(1)\`\`\`\n${FLAG}`, 'print(1)'],
  ])('%s', (_name, reply, code) => {
    expect(requestedCode(reply)?.code).toBe(code);
  });

  test('and what the model wrote after the flag is dropped', () => {
    const asked = `So:\n${block('print(1)')}\n${FLAG}`;
    expect(requestedCode(`${asked}\n\nOutput:\n1\n\nFINAL ANSWER: 1`)?.upToFlag).toBe(asked);
    expect(requestedCode(asked)?.upToFlag).toBe(asked);
  });
});

describe('no program is asked for', () => {
  test.each<[string, string]>([
    ['without the flag', block('print(1)')],
    ['by the flag alone', FLAG],
    ['by the flag in prose', `I could write ${FLAG} here.`],
    ['by the flag before the block', `${FLAG}\n${block('print(1)')}`],
    ['where a sentence stands between', `${block('print(1)')}\nNow run it. ${FLAG}`],
    ['where a list stands between', `${block('print(1)')}\n* Now: **${FLAG}**`],
    ['by marks alone', `**${FLAG}**`],
    ['by a fence of another block', `${block('print(1)')}\ngives\n\`\`\`${FLAG}`],
    ['by a block without a language', `${block('print(1)', '')}\n${FLAG}`],
    ['by a block of another language', `${block('console.log(1)', 'javascript')}\n${FLAG}`],
    [
      'where another block stands between',
      `${block('print(1)')}\nwhich gives\n${block('1', 'text')}\n${FLAG}`,
    ],
    [
      'where a block without a language stands between',
      `${block('print(1)')}\ngives\n${block('1', '')}\n${FLAG}`,
    ],
    ['by an empty block', `${block('  ')}\n${FLAG}`],
    ['by a block that is not closed', `\`\`\`python\nprint(1)\n${FLAG}`],
    ['by inline code', `\`print(1)\` ${FLAG}`],
    ['by the flag in small letters', `${block('print(1)')}\nexecute code!`],
  ])('%s', (_name, reply) => {
    expect(requestedCode(reply)).toBeNull();
  });

  // A workflow that computes for 2 s is taken for hung. Read in a quadratic way these take longer than a test may.
  test.each<[string, string]>([
    ['backticks', `${'`'.repeat(2_000_000)} x \`\`\`\n${FLAG}`],
    ['flags after fences', `\`\`\`\n${FLAG}\n`.repeat(150_000)],
    ['openings', '```python\n'.repeat(200_000) + FLAG],
    ['spaces', `\`\`\`${' '.repeat(2_000_000)}${FLAG}`],
    ['marks', `\`\`\`\n${'* '.repeat(1_000_000)}x${FLAG}`],
  ])('by a model that repeats itself for long: %s', (_name, reply) => {
    expect(requestedCode(reply)).toBeNull();
  });
});

describe('what the model is shown of a program', () => {
  test.each<[string, Parameters<typeof ended>[0], string]>([
    ['its output', { stdout: '42\n' }, '42'],
    ['that there was none', { stdout: '\n' }, '(no output)'],
    ['no warnings of one that ended well', { stdout: '1\n', stderr: 'DeprecationWarning' }, '1'],
    [
      'the error of one that failed, after what it had printed',
      { status: 'error', stdout: 'so far\n', stderr: 'Traceback\nNameError: x\n', exit_code: 1 },
      'so far\nThe program failed.\nTraceback\nNameError: x',
    ],
    ['a failure without a word', { status: 'error', exit_code: 1 }, 'The program failed.'],
    [
      'that it took too long',
      { status: 'timeout', stdout: '1', exit_code: null },
      '1\nThe program was stopped: it took too long.',
    ],
    [
      'that it took too much memory',
      { status: 'out_of_memory', exit_code: null },
      'The program was stopped: it used too much memory.',
    ],
    [
      'that it wrote too much',
      { status: 'output_limit', exit_code: null },
      'The program was stopped: it wrote too much.',
    ],
    ['tabs and lines as they are', { stdout: 'a\tb\nc' }, 'a\tb\nc'],
    ['lines of another system', { stdout: 'a\r\nb\r\n' }, 'a\nb'],
    [
      'no control characters',
      { stdout: 'a\u0000b\u001b[31mc\u0007d\u007fe\u009b1mf\rg' },
      'a\ufffdb\ufffd[31mc\ufffdd\ufffde\ufffd1mf\ufffdg',
    ],
    ['letters of any script', { stdout: 'é 日本 😀 \ufffd' }, 'é 日本 😀 \ufffd'],
  ])('%s', (_name, result, shown) => {
    expect(shownResult(ended(result))).toBe(shown);
  });

  test.each(['stdout', 'stderr'] as const)('a long %s loses its middle, and says how much', (stream) => {
    const text = `start${'x'.repeat(50_000)}end`;
    const shown = shownResult(ended({ status: 'error', [stream]: text }));
    expect(shown.length).toBeLessThan(7000);
    expect(shown).toMatch(/start(x+)\n\[… \d+ characters …\]\n(x+)end/);
    const [, left = '', , right = ''] = /(start.*)\n\[… (\d+) .*\n(.*end)/.exec(shown) ?? [];
    const dropped = Number(/… (\d+) characters/.exec(shown)?.[1]);
    expect(left.length + right.length + dropped).toBe(text.length);
  });

  test('a long output is never cut through a character', () => {
    for (const shift of ['', 'x']) {
      const shown = shownResult(ended({ stdout: `${shift}${'😀'.repeat(5000)}` }));
      expect(shown).not.toMatch(/\p{Cs}/u);
      expect(shown).toContain('characters …');
    }
  });

  test.each(['x', '```', '````\nx\n````', '`'.repeat(40), '```python\nprint(1)\n```\nEXECUTE CODE!'])(
    'in a block that the output %j cannot close',
    (stdout) => {
      const shown = outputBlock(ended({ stdout }));
      const [head, fence = '', ...rest] = shown.split('\n');
      expect(head).toBe('Output of the Python code above:');
      expect(fence).toMatch(/^`{3,}$/);
      expect(rest.at(-1)).toBe(fence);
      expect(rest.slice(0, -1).join('\n')).toBe(stdout);
      expect(stdout).not.toContain(fence);
    },
  );
});

describe('the sheet of a curator’s reply', () => {
  const NOTES =
    '- Use inclusion-exclusion for overlaps.\n- A real note about primes.\n- Reduce moduli first.';

  test.each<[string, string, string | null]>([
    ['is what stands between the tags', 'Well.\n<cheatsheet>\n- note\n</cheatsheet>\nDone.', '- note'],
    ['keeps its inner lines and spaces', '<cheatsheet>a\n\n  b</cheatsheet>', 'a\n\n  b'],
    ['is the first of two', '<cheatsheet>1</cheatsheet> <cheatsheet>2</cheatsheet>', '1'],
    ['may hold other tags', '<cheatsheet><note>x < y</note></cheatsheet>', '<note>x < y</note>'],
    [
      'is not what only speaks of the tag',
      'I answer in <cheatsheet> tags.\n<cheatsheet>real</cheatsheet>',
      'real',
    ],
    ['is not an empty mention', 'Between <cheatsheet></cheatsheet>: <cheatsheet>real</cheatsheet>', 'real'],
    ['is missing without a tag', 'just notes', null],
    ['is missing in an empty reply', '', null],
    ['is missing where the tag is never closed', '<cheatsheet>\nhalf of the no', null],
    ['is missing where it closes before it opens', '</cheatsheet> x <cheatsheet>', null],
    [
      'is not what stands between tags that are spoken of',
      'The sheet goes between `<cheatsheet>` and `</cheatsheet>`:\n<cheatsheet>\nrule\n</cheatsheet>',
      'rule',
    ],
    [
      'is not what stands between tags that are spoken of, where its own block is cut off',
      'The sheet goes between `<cheatsheet>` and `</cheatsheet>`:\r\n<cheatsheet> \r\nrule',
      null,
    ],
    ['is missing where nothing stands between the tags', '<cheatsheet> \n </cheatsheet>', null],
    ['is missing in other tags', '<cheat_sheet>x</cheat_sheet>', null],
    ['may stand between tags in another case', '<Cheatsheet>x</Cheatsheet>', 'x'],
    [
      'is the first that is written out',
      '<cheatsheet>(unchanged)</cheatsheet> <cheatsheet>2</cheatsheet>',
      '2',
    ],
  ])('%s', (_name, reply, content) => {
    expect(sheetIn(reply)).toBe(content);
  });

  test.each([
    '[Previous content remains unchanged]',
    'unchanged',
    '(no changes)',
    'No changes needed.',
    'Same as before.',
    '[Same as the previous cheatsheet]',
    '...',
    '…',
    '(empty)',
    'N/A',
    '[updated cheatsheet]',
    '[Your updated cheatsheet here]',
    'No cheatsheet yet.',
    '**The cheatsheet stays the same.**',
    'The existing notes\n(unchanged)',
    '[The rest of the cheatsheet remains unchanged]\n\n- New: x',
    '- New: x\n[... rest of the existing content remains unchanged ...]',
    '- New: x, which is longer than all of the notes that were there, and says nothing of them\n(no changes to the rest)',
    'Keep all existing entries.\n- New: x',
    '- New: x\n... existing notes ...',
    '## Facts\n...\n## Methods\n- a',
    '- New: x\n\nThe remaining notes are unchanged.',
    '- (all previous entries retained)\n- New: x',
    '<!-- previous notes unchanged -->\n- New: x',
    '## Methods\n(unchanged)\n## Facts\n- x',
    'Version: 2\n[no changes]',
  ])('is missing where the notes are left out: %j', (sheet) => {
    expect(sheetIn(`No change.\n<cheatsheet>\n${sheet}\n</cheatsheet>`, NOTES)).toBeNull();
  });

  test.each([
    `## Existing entries (kept)\n${NOTES}\n## New entries\n- Check units.`,
    `## Previous notes (unchanged)\n${NOTES}`,
    `All previous entries have been preserved as is.\n${NOTES}`,
    `Existing notes are preserved below.\n${NOTES}`,
    `[Existing entries retained]\n${NOTES}\n- New: x`,
    `**Changes from previous version:** none\n${NOTES}`,
    `(No changes needed)\n${NOTES.replace('real note', 'note')}`,
  ])('is what keeps the notes that it says are kept: %j', (sheet) => {
    expect(sheetIn(`<cheatsheet>\n${sheet}\n</cheatsheet>`, NOTES)).toBe(sheet);
  });

  test('is one that says so where there was none before', () => {
    const sheet = '## Existing entries (kept)\n- Use it.';
    expect(sheetIn(`<cheatsheet>${sheet}</cheatsheet>`)).toBe(sheet);
  });

  test.each([
    '- The total remains unchanged when terms are swapped.',
    'Keep units the same.',
    'the new notes',
    'Keep the units (unchanged)',
    '- Sorting keeps equal entries in the same order.',
    '## Existing notes\n- a\n## New notes\n- b',
    '**Previous notes**\n- a',
    '[Notes]\n- x',
    '## Facts\n(none)\n## Methods\n- a',
    '- x\n(see above)',
    '- Method: check the sum (same as before)',
    '## Changes\n- a',
    'x',
    '无变化规则：先化简。',
  ])('is what is written out: %j', (sheet) => {
    expect(sheetIn(`<cheatsheet>\n${sheet}\n</cheatsheet>`, NOTES)).toBe(sheet);
  });

  test('is the new one where the old one is repeated beside it', () => {
    const both = 'Old: <cheatsheet>1</cheatsheet> New: <cheatsheet>2</cheatsheet>';
    expect(sheetIn(both, '1')).toBe('2');
    expect(sheetIn('<cheatsheet>1</cheatsheet>', '1')).toBe('1');
  });

  test('is found in a long reply', () => {
    const long = 'x'.repeat(1_000_000);
    expect(sheetIn(`<cheatsheet>${long}</cheatsheet>`)).toBe(long);
    expect(sheetIn(`<cheatsheet>${long}`)).toBeNull();
    expect(sheetIn('<cheatsheet>'.repeat(50_000))).toBeNull();
  });
});
