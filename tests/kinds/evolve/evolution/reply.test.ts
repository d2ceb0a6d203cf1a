import { describe, expect, test } from 'vitest';
import { pathFault } from '../../../../src/kinds/evolve/evolution/file-names.js';
import {
  LARGEST_FILE,
  MAX_FILES,
  type ParsedReply,
  parseScaffoldReply,
  retryMessages,
} from '../../../../src/kinds/evolve/evolution/reply.js';
import { createRandom } from '../../../../src/statistics/random.js';
import { cpuSeconds } from '../../../support/cpu-seconds.js';
import { pick } from './support.js';

const MAIN = 'def process_input(input_string):\n    return input_string\n';
const OTHER = 'def process_input(input_string):\n    return "other"\n';

function block(content: string, info = 'python', fence = '```'): string {
  return `${fence}${info}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}`;
}

function filesOf(reply: string): Record<string, string> {
  const parsed = parseScaffoldReply(reply);
  if (!parsed.ok) throw new Error(`${parsed.fault}: ${parsed.message}`);
  return { ...parsed.files };
}

function faultOf(reply: string): string {
  const parsed: ParsedReply = parseScaffoldReply(reply);
  return parsed.ok ? `files ${Object.keys(parsed.files)}` : parsed.fault;
}

describe('a reply with one block', () => {
  test.each([
    ['python', '```'],
    ['Python', '```'],
    ['py', '```'],
    ['python3', '```'],
    ['{.python}', '```'],
    ['', '```'],
    ['python', '````'],
    ['python', '~~~'],
    [' python ', '```'],
  ])('of language %j between %s is a scaffold', (info, fence) => {
    expect(filesOf(`Here it is.\n\n${block(MAIN, info, fence)}\n\nDone.`)).toEqual({ 'scaffold.py': MAIN });
  });

  test('may have Windows line ends, and stand in a list', () => {
    expect(filesOf(block(MAIN).replaceAll('\n', '\r\n'))).toEqual({ 'scaffold.py': MAIN });
    const indented = `1. The code:\n\n${block(MAIN).replaceAll(/^/gm, '   ')}\n2. Done`;
    expect(filesOf(indented)).toEqual({ 'scaffold.py': MAIN });
  });

  test('keeps fences that stand in its strings', () => {
    const source = `PROMPT = """Answer in a block:
\`\`\`json
{"answer": 1}
\`\`\`
or so."""

${MAIN}`;
    expect(filesOf(`${block(source)}\nAnd then:\n${block('print(1)', 'text')}`)).toEqual({
      'scaffold.py': source,
    });
  });

  test('ends at the first fence where no fence would leave its strings closed', () => {
    const source = `${MAIN}x = """never closed`;
    expect(filesOf(`${block(source)}\nSome words.`)).toEqual({ 'scaffold.py': `${source}\n` });
  });

  test('may import process_input, or be given it', () => {
    for (const source of [
      'from solver import solve, process_input\n',
      'from solver import (\n    solve,  # helper\n    process_input,\n)\n',
      'from solver import solve, \\\n    process_input\n',
      'from scaffold_parts import answer as process_input\n',
      'process_input = str.upper\n',
    ]) {
      expect(filesOf(block(source))).toEqual({ 'scaffold.py': source });
    }
    for (const source of [
      'from solver import process_input as solve\n',
      'from solver import (\n    solve,\n)\nprocess_input("x")\n',
      'from solver import solve\n# process_input\n',
      'from scaffold import process_input\n',
      'from .scaffold import (\n    process_input,\n)\n',
    ]) {
      expect(faultOf(block(source))).toBe('no_process_input');
    }
  });

  test('may have quotes in the formats of its f-strings', () => {
    for (const line of [
      `f"""{x:'>10}"""`,
      `f"{x:'^{len(x)}}"`,
      `f'{x:"<{width}} {y!r:">5}'`,
      `f"{x:{'>'}{10}} {(lambda y: 'a')(x)} {d['k']:\\'}"`,
    ]) {
      const source = `def table(x):\n    return ${line}\n\n\n${MAIN}`;
      expect(filesOf(`${block(source)}\nSome words.`)).toEqual({ 'scaffold.py': source });
    }
  });
});

describe('a reply with several blocks', () => {
  const helpers = 'VALUE = 1\n';

  test.each([
    ['the info string', block(helpers, 'python file=helpers.py')],
    ['quotes', block(helpers, 'python title="helpers.py"')],
    ['a colon', block(helpers, 'python:helpers.py')],
    ['the second word', block(helpers, 'python helpers.py')],
    ['braces', block(helpers, 'python {file=helpers.py}')],
    ['the info string alone', block(helpers, 'helpers.py')],
    ['a leading ./', block(helpers, 'python file=./helpers.py')],
    ['bold type', `**helpers.py**\n${block(helpers)}`],
    ['code type and a colon', `\`helpers.py\`:\n\n${block(helpers)}`],
    ['a heading', `### File: helpers.py\n${block(helpers)}`],
    ['a list', `2. **helpers.py**\n${block(helpers)}`],
    ['bold type with the colon inside', `**helpers.py:**\n${block(helpers)}`],
  ])('names a file by %s', (_, named) => {
    expect(filesOf(`${block(MAIN)}\n\n${named}`)).toEqual({ 'scaffold.py': MAIN, 'helpers.py': helpers });
    expect(filesOf(`${named}\n\n${block(MAIN)}`)).toEqual({ 'scaffold.py': MAIN, 'helpers.py': helpers });
  });

  test('names a file by a first line that is a comment of nothing else', () => {
    for (const line of ['# helpers.py', '#helpers.py', '# File: helpers.py', '\n# filename: helpers.py']) {
      const source = `${line}\n${helpers}`;
      expect(filesOf(`${block(MAIN)}\n${block(source)}`)).toEqual({
        'scaffold.py': MAIN,
        'helpers.py': source,
      });
    }
    expect(filesOf(`${block(MAIN)}\n${block(`# see helpers.py\n${helpers}`)}`)).toEqual({
      'scaffold.py': MAIN,
    });
  });

  test('has data files and folders', () => {
    const words = block('["a"]', 'json file=data/words.json');
    expect(filesOf(`${block(MAIN)}\n${words}\n**notes.txt**\n${block('hello', 'text')}`)).toEqual({
      'scaffold.py': MAIN,
      'data/words.json': '["a"]\n',
      'notes.txt': 'hello\n',
    });
  });

  test('puts the info string above the comment, and the comment above the line before', () => {
    const source = '# b.py\nx = 1\n';
    expect(Object.keys(filesOf(`${block(MAIN)}\n**c.py**\n${block(source, 'python file=a.py')}`))).toContain(
      'a.py',
    );
    expect(Object.keys(filesOf(`${block(MAIN)}\n**c.py**\n${block(source)}`))).toContain('b.py');
  });

  test('takes the block that is named scaffold.py before any other, and the last of several of a name', () => {
    expect(filesOf(`**scaffold.py**\n${block(MAIN)}\n${block(OTHER)}`)).toEqual({ 'scaffold.py': MAIN });
    expect(filesOf(`${block(`# scaffold.py\n${OTHER}`)}\n${block(MAIN, 'python file=scaffold.py')}`)).toEqual(
      {
        'scaffold.py': MAIN,
      },
    );
  });

  test('takes the last unnamed block that defines process_input, and no example of its use', () => {
    const use = block('from scaffold import *\nprint(process_input("x"))');
    expect(filesOf(`${block(OTHER)}\n${block(MAIN)}\n${use}`)).toEqual({ 'scaffold.py': MAIN });
    expect(filesOf(`${use}\n${block('pip install x', 'bash')}\n${block(MAIN)}`)).toEqual({
      'scaffold.py': MAIN,
    });
    // A mention is no definition.
    const mention = block('TEXT = """\ndef process_input(x): ...\n"""\n# def process_input(x)\n');
    expect(filesOf(`${block(MAIN)}\n${mention}`)).toEqual({ 'scaffold.py': MAIN });
  });

  test('takes a definition before an import or an assignment that shows its use', () => {
    for (const use of [
      'from scaffold import process_input\nprint(process_input("x"))',
      'from solution import process_input\nprint(process_input("x"))',
      'from solution import (\n    process_input,\n)',
      'import scaffold\nprocess_input = scaffold.process_input',
    ]) {
      expect(filesOf(`${block(MAIN)}\n\nUse it so:\n\n${block(use)}`)).toEqual({ 'scaffold.py': MAIN });
      expect(filesOf(`${block(MAIN, '')}\n\nUse it so:\n\n${block(use)}`)).toEqual({ 'scaffold.py': MAIN });
    }
    const imported = 'from solver import process_input\n';
    expect(filesOf(`${block('x = 1')}\n${block(imported)}`)).toEqual({ 'scaffold.py': imported });
  });

  test('takes Python before a block without a language', () => {
    expect(filesOf(`${block(MAIN)}\n${block(OTHER, '')}`)).toEqual({ 'scaffold.py': MAIN });
  });

  test('passes over drafts in the model’s thoughts', () => {
    expect(
      filesOf(`<think>\n${block(OTHER)}\n${block('x = 1', 'python file=draft.py')}</think>\n${block(MAIN)}`),
    ).toEqual({ 'scaffold.py': MAIN });
    // Draft and program in one file would not compile: https://github.com/gptme/gptme/issues/1691
    expect(filesOf(`<thinking>\n\`\`\`python\n${OTHER}</thinking>\n${block(MAIN)}`)).toEqual({
      'scaffold.py': MAIN,
    });
    const program = `${MAIN}\nspoken = MAIN.split('</think>')[-1]\n`;
    expect(filesOf(block(program))).toEqual({ 'scaffold.py': program });
    expect(parseScaffoldReply(`<think>\n${block(MAIN)}\n</think>\nAs above.`)).toMatchObject({
      fault: 'no_code_block',
    });
  });

  test('does not take a remark for a name', () => {
    const names = (reply: string) => Object.keys(filesOf(reply)).sort();
    expect(names(`Run it with scaffold.py and helpers.py:\n${block(MAIN)}`)).toEqual(['scaffold.py']);
    expect(names(`${block(MAIN)}\n**helpers.py**\n${block('python helpers.py', 'bash')}`)).toEqual([
      'scaffold.py',
    ]);
    expect(names(`**data.json**\n${block(MAIN)}`)).toEqual(['scaffold.py']);
    expect(names(block(`# v1.0\n${MAIN}`))).toEqual(['scaffold.py']);
  });

  test('leaves out what Reprise provides, and says so', () => {
    const parsed = parseScaffoldReply(
      `${block(MAIN)}\n${block('def execute_llm(p): ...', 'python file=llm_executor.py')}`,
    );
    expect(parsed).toEqual({
      ok: true,
      files: { 'scaffold.py': MAIN },
      warnings: ['llm_executor.py is provided and was not taken from the reply'],
    });
    expect(filesOf(`${block(MAIN)}\n${block('{}', 'json file=METADATA.JSON'.toLowerCase())}`)).toEqual({
      'scaffold.py': MAIN,
    });
  });
});

describe('a failed try', () => {
  test.each([
    ['no_code_block', ''],
    ['no_code_block', 'I cannot do that.'],
    ['no_code_block', `Inline \`\`\`python x\`\`\` code.`],
    ['no_code_block', block('echo process_input', 'bash')],
    ['no_code_block', block('some text', '')],
    ['no_process_input', block('print("hello")')],
    ['no_process_input', block('async def process_input(x):\n    return x')],
    ['no_process_input', block('class A:\n    def process_input(self, x):\n        return x')],
    ['no_process_input', block('print("hello")', 'python file=scaffold.py')],
    ['no_process_input', block('if process_input == 1: pass')],
    ['no_main_file', block(MAIN, 'python file=main.py')],
    ['unfinished_block', `\`\`\`python\n${MAIN}`],
    ['unfinished_block', `${block(MAIN)}\n**helpers.py**\n\`\`\`python\nx = 1`],
    ['unsafe_path', `${block(MAIN)}\n${block('x', 'python file=../a.py')}`],
    ['unsafe_path', `${block(MAIN)}\n${block('x', 'python file=/tmp/a.py')}`],
    ['unsafe_path', `${block(MAIN)}\n${block('x', 'text file=run.sh')}`],
    ['unsafe_path', `${block(MAIN)}\n${block('x', 'text file=/etc/passwd')}`],
    ['unsafe_path', `${block(MAIN)}\n${block('# ../../a.py\nx = 1')}`],
    [
      'unsafe_path',
      `${block(MAIN)}\n${block('x = 1', 'python file=a.py')}\n${block('x = 2', 'python file=A.py')}`,
    ],
    ['too_large', block(`${MAIN}X = "${'x'.repeat(LARGEST_FILE)}"`)],
    [
      'too_large',
      [MAIN, ...Array.from({ length: MAX_FILES }, (_, n) => `# a${n}.py\n`)]
        .map((one) => block(one))
        .join('\n'),
    ],
    [
      'too_large',
      [MAIN, ...[1, 2, 3, 4].map((n) => `# a${n}.py\n${'#'.repeat(LARGEST_FILE - 20)}\n`)]
        .map((one) => block(one))
        .join('\n'),
    ],
  ])('is told as %s', (fault, reply) => {
    expect(faultOf(reply)).toBe(fault);
  });

  test('comes with a sentence for the next one', () => {
    const parsed = parseScaffoldReply('No.');
    if (parsed.ok) throw new Error('the reply has no code');
    const asked = [{ role: 'user' as const, content: 'Write it.' }];
    const messages = retryMessages(asked, 'No.', parsed.message);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[0]).toBe(asked[0]);
    expect(messages[1]?.content).toBe('No.');
    expect(messages[2]?.content).toContain('no fenced Python block');
    expect(messages[2]?.content).toContain('```python');
    expect(asked).toHaveLength(1);
    expect(retryMessages(asked, ' ', 'x')[1]?.content).not.toBe(' ');
  });
});

test('whatever a reply is, the parser answers, with safe paths and the main file', () => {
  const PIECES = [
    `\n${block(MAIN)}\n`,
    `\n${block(OTHER, '')}\n`,
    '```',
    '```python\n',
    '~~~\n',
    '````\n',
    '\n',
    '\n\n',
    MAIN,
    '"""',
    "'''",
    '**a.py**\n',
    '# ../x.py\n',
    '# b.py\n',
    'python file=',
    'file="',
    'c.json',
    ' ',
    '</think>',
    '<think>',
    'scaffold.py',
    '/',
    '..',
    '#',
    '\r',
    '\0',
    '```python:x.py\n',
    '{',
    'é',
  ];
  const random = createRandom('replies');
  let accepted = 0;
  for (let round = 0; round < 5_000; round += 1) {
    const reply = Array.from({ length: 1 + Math.floor(random() * 30) }, () => pick(PIECES, random)).join('');
    const parsed = parseScaffoldReply(reply);
    if (!parsed.ok) {
      expect(parsed.message).toMatch(/^\S.*\.$/s);
      continue;
    }
    accepted += 1;
    expect(Object.keys(parsed.files)).toContain('scaffold.py');
    expect(parsed.files['scaffold.py']).toContain('process_input');
    for (const path of Object.keys(parsed.files)) expect(pathFault(path)).toBeNull();
  }
  expect(accepted).toBeGreaterThan(100);
});

describe('a reply is read in linear time', () => {
  // Milliseconds each, and minutes where a block or a line is searched again from each of its places.
  test.each([
    ['fences that all stand in strings', '```\n#"""\n"""\n'.repeat(5_000)],
    ['fences in one string', `\`\`\`python\n"""\n${'```\n'.repeat(15_000)}`],
    ['a long gap before a block', `a${' '.repeat(90_000)}b\n${block(MAIN)}`],
    ['imports that are never closed', block('from x import (\n'.repeat(5_000))],
    ['imports over many lines', block(`from x import a, ${'\\\n'.repeat(20_000)}`)],
    ['imports that all continue in the next line', block('from x import a\\\n'.repeat(20_000))],
    ['nested formats', block(`x = f"${'{x:'.repeat(20_000)}"`)],
  ])('with %s', async (_, reply) => {
    expect(await cpuSeconds(() => parseScaffoldReply(reply))).toBeLessThan(3);
  });
});
