import { describe, expect, test } from 'vitest';
import type { ExecutionResult } from '../../src/contracts/execution.js';
import { SandboxError } from '../../src/sandboxes/sandbox.js';
import { CheatsheetBench, ended } from './cheatsheet-bench.js';

const program = (code: string) => `\`\`\`python\n${code}\n\`\`\`\nEXECUTE CODE!`;
const output = (text: string) => `Output of the Python code above:\n\`\`\`\n${text}\n\`\`\``;

/** An agent whose model gives these replies in turn, and whose programs end like this. */
function bench(
  replies: string[],
  run: (number: number) => ExecutionResult | Error = () => ended({ stdout: '42' }),
  agent: Record<string, unknown> = {},
) {
  return new CheatsheetBench({
    agent: { mode: 'empty_sheet', use_code_execution: true, ...agent },
    say: (_request, number) => replies[number - 1] ?? 'out of replies',
    run: (_code, number) => run(number),
  });
}

describe('a program that the model asks for', () => {
  test('is run, the model is shown its output, and the rounds together are the action', async () => {
    const one = bench([`First:\n${program('print(6 * 7)')}\nOutput: 41, made up`, 'FINAL ANSWER: 42']);
    const [action] = await one.episode('s1', 0);
    const round = `First:\n${program('print(6 * 7)')}\n\n${output('42')}`;
    expect(one.programs).toEqual([{ code: 'print(6 * 7)\n', timeout_sec: 3 }]);
    expect(one.requests[1]?.messages).toEqual([
      one.requests[0]?.messages[0],
      { role: 'assistant', content: round },
      { role: 'user', content: expect.stringContaining('You may run another program') },
    ]);
    expect(action).toBe(`${round}\n\nFINAL ANSWER: 42`);
  });

  test('is given code_timeout_sec', async () => {
    const one = bench([program('1'), 'done'], undefined, { code_timeout_sec: 0.5 });
    await one.episode('s1', 0);
    expect(one.programs[0]?.timeout_sec).toBe(0.5);
  });

  test('follows on another, and the whole conversation is kept', async () => {
    const one = bench([program('a'), program('b'), 'answer'], (number) =>
      ended({ stdout: `output ${number}` }),
    );
    const [action] = await one.episode('s1', 0);
    expect(one.programs.map(({ code }) => code)).toEqual(['a\n', 'b\n']);
    expect(one.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(action).toBe(
      [program('a'), output('output 1'), program('b'), output('output 2'), 'answer'].join('\n\n'),
    );
  });

  test.each([
    ['error', { stderr: 'NameError: x', exit_code: 1 }, 'The program failed.\nNameError: x'],
    ['timeout', { exit_code: null }, 'it took too long'],
    ['out_of_memory', { exit_code: null }, 'it used too much memory'],
    ['output_limit', { exit_code: null }, 'it wrote too much'],
  ] as const)('and fails (%s) is shown so, and is counted', async (status, fields, shown) => {
    const one = bench([program('x'), program('y'), 'answer'], (number) =>
      number === 1 ? ended({ status, ...fields }) : ended(),
    );
    await one.episode('s1', 0);
    expect(one.requests[1]?.messages[1]?.content).toContain(shown);
    expect(one.requests[2]?.messages[3]?.content).toContain('(no output)');
    expect(one.counts).toEqual({ programs_failed: 1 });
  });

  test('is not run again where its output asks for it', async () => {
    const one = bench([program('x'), 'answer'], () => ended({ stdout: program('evil') }));
    await one.episode('s1', 0);
    expect(one.programs.map(({ code }) => code)).toEqual(['x\n']);
  });

  test('fails the episode where the sandbox fails: no score, and nothing is remembered', async () => {
    const one = bench([program('x')], () => new SandboxError('the daemon went away', true));
    await expect(one.episode('s1', 0)).rejects.toThrow('the daemon went away');
    expect(one.purposes).toEqual(['act']);
    expect(one.journal.entries()).toEqual([]);
    expect(one.counts).toEqual({});
  });

  test('fails the episode where the reply to its output is empty', async () => {
    const one = bench([program('x'), '']);
    await expect(one.episode('s1', 0)).rejects.toThrow('reply is empty');
  });
});

describe('max_code_rounds', () => {
  test.each([1, 2, 3])(
    '%i: that many programs, and the last output says that no more can be run',
    async (max) => {
      const one = bench(
        Array.from({ length: 10 }, (_, round) => program(`round ${round + 1}`)),
        undefined,
        { max_code_rounds: max },
      );
      const [action] = await one.episode('s1', 0);
      expect(one.programs).toHaveLength(max);
      expect(one.purposes).toHaveLength(max + 1);
      const turns =
        one.requests
          .at(-1)
          ?.messages.filter(({ role }) => role === 'user')
          .slice(1) ?? [];
      expect(turns).toHaveLength(max);
      for (const [number, { content }] of turns.entries()) {
        expect(content.includes('No more code can be run')).toBe(number === max - 1);
        expect(content.includes('may run another program')).toBe(number < max - 1);
        expect(content).toContain('final answer');
      }
      // What is asked for after the last round stands in the action, and is counted.
      expect(action).toContain(`round ${max + 1}`);
      expect(action).not.toContain(`round ${max + 2}`);
      expect(one.counts).toEqual({ code_asked_for_after_last_round: 1 });
    },
  );

  test('is not reached by a model that answers in time', async () => {
    const one = bench([program('x'), 'answer'], undefined, { max_code_rounds: 1 });
    await one.episode('s1', 0);
    expect(one.counts).toEqual({});
  });

  test('counts anew for every step', async () => {
    const one = bench([program('a'), 'first', program('b'), 'second'], undefined, { max_code_rounds: 1 });
    await one.episode('s1', 0, {}, {});
    expect(one.programs.map(({ code }) => code)).toEqual(['a\n', 'b\n']);
    expect(one.counts).toEqual({});
  });
});

describe('use_code_execution: false', () => {
  test('runs nothing, whatever the model asks for, and does not speak of code', async () => {
    const one = bench([program('x')], undefined, { use_code_execution: false });
    const [action] = await one.episode('s1', 0);
    expect(one.programs).toEqual([]);
    expect(action).toBe(program('x'));
    expect(one.prompt()).not.toContain('EXECUTE CODE!');
    expect(one.prompt()).not.toMatch(/python/i);
  });

  test('is the default', async () => {
    expect(new CheatsheetBench().config.agent).toMatchObject({ use_code_execution: false });
  });
});

test('the prompt shows the form in which code is asked for, and that form works', async () => {
  const one = bench(['answer']);
  await one.episode('s1', 0);
  const protocol = /```python\n[\s\S]*?EXECUTE CODE!/.exec(one.prompt())?.[0] ?? '';
  const two = bench([protocol, 'answer']);
  await two.episode('s1', 0);
  expect(two.programs).toHaveLength(1);
});

test('a memory keeps the program and its output with the answer, and the curator is shown them', async () => {
  const one = bench([program('x'), 'answer', 'no sheet'], undefined, { mode: 'cumulative', history_k: 1 });
  await one.episode('s1', 0);
  expect(one.prompt()).toContain(`${program('x')}\n\n${output('42')}\n\nanswer`);
  expect(one.journal.entries()[0]).toMatchObject({ action: `${program('x')}\n\n${output('42')}\n\nanswer` });
});
