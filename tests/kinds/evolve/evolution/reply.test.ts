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

function faultOf(reply: string, isWhole = false): string {
  const parsed: ParsedReply = parseScaffoldReply(reply, isWhole);
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
    ['a numbered heading', `### 1. \`helpers.py\`\n${block(helpers)}`],
    ['a numbered file', `**File 1: helpers.py**\n\n${block(helpers)}`],
    ['a number in bold type', `**2. helpers.py**\n${block(helpers)}`],
    ['a heading with a numbered file', `#### File #2: \`helpers.py\`:\n${block(helpers)}`],
    ['a list with a heading', `- ## (1) __helpers.py__\n${block(helpers)}`],
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

  test('keeps the underscores of a name', () => {
    const named = `**tools/__init__.py**\n${block(helpers)}`;
    expect(filesOf(`${block(MAIN)}\n${named}`)).toHaveProperty(['tools/__init__.py']);
  });

  const parse = 'def parse(s):\n    return s.split()\n';
  const importing = 'from helpers import parse\n\n\ndef process_input(s):\n    return parse(s)[0]\n';
  const calling = 'def process_input(s):\n    return parse(s)[0]\n';
  const joined = (...sources: string[]) => sources.join('\n\n');

  test.each([
    ['in a sentence', `Here is helpers.py:\n${block(parse)}`],
    ['with what it is for', `### \`helpers.py\` – helper functions\n\n${block(parse)}`],
    ['in a comment that says more', block(`# helpers.py - helper functions\n${parse}`)],
    ['in the opening line', block(parse, 'python # the helpers.py module')],
    ['in a block without a language', `In helpers.py:\n${block(parse, '')}`],
  ])('takes a module that a file imports and a block names %s', (_, named) => {
    for (const reply of [`${named}\n${block(importing)}`, `${block(importing)}\n${named}`]) {
      const files = filesOf(reply);
      expect(Object.keys(files).sort()).toEqual(['helpers.py', 'scaffold.py']);
      expect(files['helpers.py']).toContain(parse);
      expect(files['scaffold.py']).toBe(importing);
    }
  });

  test('takes a module that is imported as a whole', () => {
    for (const program of [
      'import helpers\n\n\ndef process_input(s):\n    return helpers.parse(s)[0]\n',
      'import json, helpers as h\n\n\ndef process_input(s):\n    return h.parse(s)[0]\n',
      'from helpers import *\n\n\ndef process_input(s):\n    return parse(s)[0]\n',
    ]) {
      expect(filesOf(`Put this in helpers.py:\n${block(parse)}\n${block(program)}`)).toEqual({
        'scaffold.py': program,
        'helpers.py': parse,
      });
    }
  });

  test('takes a module that is imported in a function', () => {
    const program = 'def process_input(s):\n    from text_helpers import parse\n    return parse(s)[0]\n';
    expect(filesOf(`Now text_helpers.py:\n${block(parse)}\n${block(program)}`)).toEqual({
      'scaffold.py': program,
      'text_helpers.py': parse,
    });
  });

  test('takes the modules of modules', () => {
    const tools = 'import texts\n\n\ndef parse(s):\n    return texts.split(s)\n';
    const texts = 'def split(s):\n    return s.split()\n';
    const reply = joined(
      `In texts.py:\n${block(texts)}`,
      `In helpers.py:\n${block(tools)}`,
      block(importing),
    );
    expect(Object.keys(filesOf(reply)).sort()).toEqual(['helpers.py', 'scaffold.py', 'texts.py']);
  });

  test('takes no block for a module that is installed, provided or does not fit', () => {
    for (const source of [
      'import numpy as np\n',
      'from math import gcd\n',
      'from llm_executor import execute_llm\n',
      'try:\n    import helpers\nexcept ImportError:\n    helpers = None\n',
    ]) {
      const program = `${source}\n\n${MAIN}`;
      const spare = block('def gcd(a, b):\n    return gcd(b, a % b) if b else a\n');
      const reply = `It calls llm_executor.py. An example:\n${spare}\n${block(program)}`;
      expect(filesOf(reply)).toEqual({ 'scaffold.py': program });
    }
    const program = `import json\n\n\n${MAIN}x = json.loads("1")\n`;
    const parts = [block('data = 1\n'), block('def execute_llm(p):\n    return p\n')];
    const reply = `It reads JSON:\n${parts[0]}\nThe LLM executor:\n${parts[1]}\n${block(`from llm_executor import execute_llm\n${program}`)}`;
    expect(Object.keys(filesOf(reply))).toEqual(['scaffold.py']);
    const tests = block('from solution import process_input\n', 'python file=test_it.py');
    expect(filesOf(`${block(MAIN)}\nBeside solution.py:\n${tests}`)).toHaveProperty(['scaffold.py'], MAIN);
    const output = `As in helpers.py:\n${block('1 2 3', 'text')}`;
    const use = `As helpers.py does:\n${block('from helpers import parse\nprint(parse("1 2"))')}`;
    const drafts = `A helpers.py:\n${block(parse)}\nOr a helpers.py:\n${block(parse)}`;
    const other = `Beside helpers.py:\n${block('def use(s):\n    return s\n')}`;
    for (const beside of ['The file helpers.py stays as it is.', output, use, drafts, other]) {
      expect(filesOf(`${block(importing)}\n${beside}`)).toEqual({ 'scaffold.py': importing });
    }
  });

  test('takes no block for a module that is spoken of in other words', () => {
    for (const [label, part, program] of [
      ['A random baseline', 'def choice(xs): return xs[0]', 'import random\n\nX = random.choice("ab")'],
      ['I first wrote statistics by hand', 'def mean(xs): return 1', 'from statistics import mean'],
      ['A string of digits', 'digits = "123"', 'import string\n\nX = string.digits'],
    ] as const) {
      const source = `${program}\n\n\n${MAIN}`;
      expect(filesOf(`${label}:\n${block(part)}\n${block(source)}`)).toEqual({ 'scaffold.py': source });
    }
  });

  test.each([
    ['a function', parse, calling],
    [
      'a function that is handed on',
      parse,
      'def process_input(s):\n    return list(map(parse, [s]))[0][0]\n',
    ],
    ['a class', 'class Parser:\n    pass\n', 'def process_input(s):\n    return str(Parser())\n'],
    [
      'an import',
      'import json\nimport re as regex\n',
      'def process_input(s):\n    return regex.sub("a", "b", s)\n',
    ],
    ['an import of a name', 'from json import loads as parse\n', calling],
    ['a constant', 'PROMPT = "Add:"\n', 'def process_input(s):\n    return PROMPT + s\n'],
    ['a variable', 'ops = ["+"]\n', 'def process_input(s):\n    return ops[0]\n'],
    [
      'a base class',
      'class Base:\n    pass\n',
      'class Solver(Base):\n    pass\n\n\ndef process_input(s):\n    return s\n',
    ],
    [
      'an exception',
      'class Bad(Exception):\n    pass\n',
      'def process_input(s):\n    try:\n        return s[0]\n    except Bad:\n        return ""\n',
    ],
    ['a type', 'from typing import Optional\n', 'def process_input(s) -> Optional[str]:\n    return s\n'],
    ['a decorator', 'from functools import cache\n', '@cache\ndef process_input(s):\n    return s\n'],
    [
      'a function for a thread',
      'def one(s):\n    return s\n',
      'def process_input(s):\n    return pool.submit(one, s).result()\n',
    ],
  ])('puts a block before the main file that defines %s it uses', (_, helper, main) => {
    const together = { 'scaffold.py': `${helper}\n\n${main}` };
    expect(filesOf(`First a helper:\n${block(helper)}\nThe entry point:\n${block(main)}`)).toEqual(together);
    expect(filesOf(`${block(main)}\nThe helper:\n${block(helper)}`)).toEqual(together);
    expect(filesOf(`${block(helper)}\n${block(main, 'python file=scaffold.py')}`)).toEqual(together);
    expect(parseScaffoldReply(`${block(helper)}\n${block(main)}`)).toMatchObject({
      warnings: [
        expect.stringMatching(/^a block without a name was put before scaffold\.py, which uses its \w+$/),
      ],
    });
  });

  test('puts the helpers of helpers before it, and of several versions the last one', () => {
    const split = 'def split(s):\n    return s.split()\n';
    const [old, parser] = ['def parse(s):\n    return [s]\n', 'def parse(s):\n    return split(s)\n'];
    const stub = 'def parse(s):\n    """Splits."""\n    ...\n';
    for (const blocks of [
      [split, old, parser, calling],
      [calling, old, parser, split],
      [old, calling, parser, stub, split],
    ]) {
      expect(filesOf(blocks.map((one) => block(one)).join('\n'))).toEqual({
        'scaffold.py': [split, parser, calling].join('\n\n'),
      });
    }
  });

  test('keeps imports of the future first', () => {
    const future = 'from __future__ import annotations\n';
    expect(filesOf(`${block(`${future}${parse}`)}\n${block(`${future}\n${calling}`)}`)).toEqual({
      'scaffold.py': `${future.repeat(2)}${parse}\n\n\n${calling}`,
    });
  });

  test.each([
    [
      'imports the module',
      'import re\n',
      'import re\n\n\ndef process_input(s):\n    return re.sub("a", "b", s)\n',
    ],
    [
      'has a variable of the name',
      'import re\n',
      'def process_input(s):\n    for re in s:\n        return re.strip()\n',
    ],
    ['has it itself', parse, `${parse}\n\n${calling}`],
    ['imports it', parse, `from json import loads as parse\n\n\n${calling}`],
    ['is a draft', `${parse}\n\n${MAIN}`, calling],
    ['shows its use', 'def parse(s): ...\nprint(process_input("1"))', calling],
    ['calls a method', parse, 'def process_input(s):\n    return s.parse(s)\n'],
    ['names it as a parameter', parse, 'def process_input(s, parse=str):\n    return parse(s)\n'],
    ['mentions it in a text', parse, 'def process_input(s):\n    return "parse(s)"  # parse(s)\n'],
    ['reads a builtin', 'input = "1 2"\n', 'def process_input(s):\n    return input(s)\n'],
    ['has another builtin', 'from math import pow\n', 'def process_input(s):\n    return pow(3, 2, 7)\n'],
    ['imports all', parse, `from parsers import *\n\n\n${calling}`],
    ['imports it from a package', parse, `from lib.parsers import split, parse\n\n\n${calling}`],
    [
      'has a constant beside another',
      'COLS = 2\n',
      'ROWS, COLS = 5, 5\n\n\ndef process_input(s):\n    return COLS\n',
    ],
    ['is an interface', 'def parse(s): ...\n', calling],
  ])('leaves the main file as it is where it or the other block %s', (_, other, main) => {
    expect(filesOf(`${block(other)}\n${block(main)}`)).toEqual({ 'scaffold.py': main });
  });

  test.each([
    ['...', 'def process_input(input_string: str) -> str:\n    ...\n'],
    ['pass', 'def process_input(input_string): pass\n'],
    [
      'a docstring',
      'import json\n\n\ndef process_input(\n    input_string: str,\n) -> str:\n    """Answers."""\n',
    ],
    ['a comment', 'def process_input(s):\n    # unchanged\n    ...\n\n\nX = 1\n'],
    ['an error', 'def process_input(s):\n    raise NotImplementedError("later")\n'],
  ])('takes no interface for a program: one with %s', (_, stub) => {
    expect(filesOf(`${block(MAIN)}\nThe interface is unchanged:\n${block(stub)}`)).toEqual({
      'scaffold.py': MAIN,
    });
    expect(filesOf(`${block(stub)}\nThe program:\n${block(MAIN, '')}`)).toEqual({ 'scaffold.py': MAIN });
    expect(filesOf(block(stub))).toEqual({ 'scaffold.py': stub });
  });

  test.each([
    ['a body', `def process_input(s): ...  # interface\n\n\n${MAIN}`],
    ['an assignment', 'def process_input(s):\n    """Set below."""\n\n\nprocess_input = str.upper\n'],
    [
      'overloads',
      `@overload\ndef process_input(s: str): ...\n@overload\ndef process_input(s: int): ...\n${MAIN}`,
    ],
  ])('takes an interface with %s below it for a program', (_, source) => {
    expect(filesOf(`${block(OTHER)}\n${block(source)}`)).toEqual({ 'scaffold.py': source });
  });

  test('takes the last program, also where it is shorter', () => {
    const long = `${parse}\n\ndef process_input(s):\n    return parse(s)[0]\n`;
    expect(filesOf(`${block(long)}\nWait, simpler:\n${block(MAIN)}`)).toEqual({ 'scaffold.py': MAIN });
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

describe('a reply with fences that are not as they should be', () => {
  const named = `**helpers.py**\n${block('VALUE = 1\n')}`;
  const using = `from helpers import VALUE\n\n\n${MAIN}`;

  test.each([
    ['around the whole', `\`\`\`markdown\n# Solution\n\n${block(MAIN)}\n\`\`\``],
    ['around the whole, with words after it', `\`\`\`md\n${block(MAIN)}\nDone.\n\`\`\`\n\nIt works.`],
    ['of four ticks around the whole', `\`\`\`\`\n# Solution\n\n${block(MAIN)}\n\`\`\`\``],
    ['of four ticks and a language around the whole', `\`\`\`\`markdown\n${block(MAIN)}\n\`\`\`\``],
    ['without a language around the whole', `\`\`\`\nHere it is:\n${block(MAIN)}\n\`\`\``],
    ['at the end of the code', `\`\`\`python\n${MAIN.trimEnd()}\`\`\``],
    ['at the end of the code, with words below', `\`\`\`python\n${MAIN.trimEnd()} \`\`\`\n\nIt works.`],
    ['with words after it', `\`\`\`python\n${MAIN}\`\`\` This works.\n\nIt does.`],
    ['with an apostrophe after it', `\`\`\`python\n${MAIN}\`\`\` That's it.\n\nIt's done.`],
    ['after a heading', `# Solution \`\`\`python\n${MAIN}\`\`\``],
    [
      'around the whole, beside a use of it',
      `\`\`\`md\n${block(MAIN)}\n\`\`\`\n\nUse:\n\`\`\`md\n${block('process_input("x")')}\n\`\`\``,
    ],
    ['after words', `Here it is: \`\`\`python\n${MAIN}\`\`\``],
    ['after words, and before them', `Sure: \`\`\`python\n${MAIN.trimEnd()}\`\`\` Done.`],
    ['after words, in a Markdown block', `\`\`\`markdown\nHere: \`\`\`py\n${MAIN}\`\`\`\n\`\`\``],
  ])('is read with the fences %s', (_, reply) => {
    expect(filesOf(reply)).toEqual({ 'scaffold.py': MAIN });
    expect(filesOf(reply.replaceAll('\n', '\r\n'))).toEqual({ 'scaffold.py': MAIN });
  });

  test('is read with all files in the block around the whole', () => {
    for (const files of [`${named}\n\n${block(using)}`, `${block(using)}\n\n${named}`]) {
      expect(filesOf(`\`\`\`markdown\n${files}\n\`\`\``)).toEqual({
        'scaffold.py': using,
        'helpers.py': 'VALUE = 1\n',
      });
    }
  });

  test('is a program without the last fence where it was not cut off', () => {
    const reply = `\`\`\`python\n${MAIN}`;
    expect(faultOf(reply, true)).toBe('files scaffold.py');
    expect(faultOf(`~~~python\n${MAIN}`, true)).toBe('files scaffold.py');
    expect(faultOf(`\`\`\`markdown\n\`\`\`\`python\n${MAIN}`, true)).toBe('files scaffold.py');
    expect(faultOf(reply)).toBe('unfinished_block');
    expect(faultOf(`\`\`\`markdown\n${reply}`)).not.toMatch('files');
  });

  test.each([
    '# strip ``` fences if any',
    '# models like to add ``` marks',
    's = s.strip()  # before the ``` marks',
    '# Remove ```python',
    '"""Removes\n    ``` fences from a reply.\n    """',
    's = s.strip("``` ")',
  ])('is not torn apart at %j', (line) => {
    const source = `def process_input(s):\n    ${line}\n    return clean(s)\n\n\ndef clean(s):\n    return s\n`;
    const reply = `\`\`\`python\n${source}`;
    expect(parseScaffoldReply(reply, true)).toMatchObject({ files: { 'scaffold.py': source } });
    expect(faultOf(reply)).toBe('unfinished_block');
  });

  test('has its helpers in the block around them', () => {
    const parse = 'def parse(s):\n    return s\n';
    const calling = 'def process_input(s):\n    return parse(s)\n';
    const together = { 'scaffold.py': `${parse}\n\n${calling}` };
    expect(filesOf(`\`\`\`\n${block(parse)}\n${block(calling)}`)).toEqual(together);
    expect(filesOf(`\`\`\`markdown\nA helper:\n${block(parse)}\n\n${block(calling)}\n\`\`\``)).toEqual(
      together,
    );
  });

  test('is asked for again where it may be the draft, or an example', () => {
    const wrapped = (source: string) => `\`\`\`markdown\n${block(source)}\n\`\`\``;
    expect(faultOf(`First draft:\n${wrapped(OTHER)}\n\nFinal version:\n${wrapped(MAIN)}`)).toBe(
      'no_code_block',
    );
    const use = wrapped('from solver import process_input\nprint(process_input("x"))');
    expect(faultOf(`**solver.py**\n${block(MAIN)}\n\n${use}`)).toBe('no_main_file');
  });

  test('has no program in the example of a file', () => {
    const readme = block(`# Use\n\n${block(MAIN)}\n`, 'markdown file=README.md', '````');
    expect(faultOf(readme)).toBe('no_code_block');
    expect(faultOf(`**README.md**\n${block(`# Use\n${block(MAIN)}\n`, 'markdown', '````')}`)).toBe(
      'no_code_block',
    );
    const shown = block(`# Use\n${block(OTHER)}\n`, 'markdown', '````');
    expect(filesOf(`${block(MAIN)}\n${shown}`)).toEqual({ 'scaffold.py': MAIN });
  });

  test.each(['', ' ', '  ', '   ', '    ', '\t'])(
    'is not torn apart by a fence indented by %j alone',
    (indent) => {
      const source = 'def process_input(s):\n  if s:\n    return """\n return s\n"""\n  return ""\n';
      const fenced = (content: string) =>
        `1. The program:\n\n${indent}\`\`\`python\n${content}${indent}\`\`\``;
      expect(filesOf(fenced(source))).toEqual({ 'scaffold.py': source });
      expect(filesOf(fenced(source.replaceAll(/^(?=.)/gm, indent)))).toEqual({ 'scaffold.py': source });
    },
  );

  test('keeps comments at the left in a block that is indented', () => {
    const source = '# solver\n\n   # by hand\n   def process_input(s):\n       return s\n';
    expect(filesOf(`1. X\n\n   \`\`\`python\n${source}   \`\`\``)).toEqual({
      'scaffold.py': '# solver\n\n# by hand\ndef process_input(s):\n    return s\n',
    });
  });

  test('keeps texts at the left in a block that is indented', () => {
    const source = '   X = """\n a\nb\n"""\n   def process_input(s):\n       return s\n';
    expect(filesOf(`   \`\`\`python\n${source}   \`\`\``)).toEqual({
      'scaffold.py': 'X = """\na\nb\n"""\ndef process_input(s):\n    return s\n',
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
    ['definitions and their uses', `${block('def a(x): return b(x)\n'.repeat(4_000))}\n${block(MAIN)}`],
    [
      'imports of many modules beside many blocks',
      `${`${block('x = 1')}\n`.repeat(2_000)}${block(`${MAIN}${'import a, b, c, d\n'.repeat(3_000)}`)}`,
    ],
    ['openings after words', 'a ```python\n'.repeat(10_000)],
    ['closings after words', `${'a'.repeat(20_000)}${' '.repeat(40_000)}b \`\`\` ${"a'b".repeat(20_000)}"`],
    [
      'helpers that call one another',
      `${Array.from({ length: 1_500 }, (_, n) => block(`def f${n}(x):\n    return f${n - 1}(x)`)).join('\n')}\n${block('def process_input(s):\n    return f1499(s)')}`,
    ],
    ['nested formats', block(`x = f"${'{x:'.repeat(20_000)}"`)],
  ])('with %s', async (_, reply) => {
    expect(await cpuSeconds(() => parseScaffoldReply(reply))).toBeLessThan(3);
  });
});
