import { describe, expect, test } from 'vitest';
import { draftReport, turnMessages } from '../../../../src/kinds/evolve/evolution/draft-prompts.js';
import {
  DRAFT_TOOLS,
  type DraftAction,
  draftAction,
  RUN_DRAFT,
  SUBMIT,
} from '../../../../src/kinds/evolve/evolution/draft-tools.js';
import { runData } from './support.js';

const PROGRAM = 'def process_input(input_string):\n    return input_string\n';
const MAIN = { path: 'scaffold.py', content: PROGRAM };

const asking = (name: string, given: unknown) => ({
  text: '',
  tool_calls: [{ id: 'c1', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }],
});

describe('what a scaffolder asks for in a turn', () => {
  test('is a program in a block whose last fence is missing where the turn was not cut off', () => {
    const text = `\`\`\`python\n${PROGRAM}`;
    expect(draftAction({ text, finish_reason: 'stop' })).toMatchObject({ kind: 'submit' });
    expect(draftAction({ text, finish_reason: 'length' })).toMatchObject({ kind: 'refused' });
  });

  test('is one of two tools, which take the same files', () => {
    expect(DRAFT_TOOLS.map(({ name }) => name)).toEqual([RUN_DRAFT, SUBMIT]);
    expect(DRAFT_TOOLS[0]?.parameters).toEqual(DRAFT_TOOLS[1]?.parameters);
  });

  test.each<[string, unknown, DraftAction]>([
    [RUN_DRAFT, { files: [MAIN] }, { kind: 'run', files: { 'scaffold.py': PROGRAM }, warnings: [] }],
    [SUBMIT, { files: [MAIN] }, { kind: 'submit', files: { 'scaffold.py': PROGRAM }, warnings: [] }],
    [
      SUBMIT,
      { files: [{ path: './helpers.py', content: 'x = 1' }, MAIN] },
      { kind: 'submit', files: { 'helpers.py': 'x = 1\n', 'scaffold.py': PROGRAM }, warnings: [] },
    ],
    [
      SUBMIT,
      { files: { 'scaffold.py': PROGRAM } },
      { kind: 'submit', files: { 'scaffold.py': PROGRAM }, warnings: [] },
    ],
    [
      SUBMIT,
      { files: [MAIN, { path: 'llm_executor.py', content: 'x' }] },
      {
        kind: 'submit',
        files: { 'scaffold.py': PROGRAM },
        warnings: ['llm_executor.py is provided and was not taken from the reply'],
      },
    ],
  ])('%s with %j', (name, given, action) => {
    expect(draftAction(asking(name, given))).toEqual(action);
  });

  const DATA = { path: 'data.json', content: '[{"path": "a", "content": "b"}]' };
  test.each<[string, unknown]>([
    ['a list as a text', { files: JSON.stringify([MAIN, DATA]) }],
    ['an object as a text', { files: JSON.stringify({ [MAIN.path]: PROGRAM, [DATA.path]: DATA.content }) }],
    ['files as texts', { files: [JSON.stringify(MAIN), DATA] }],
    ['a list of texts as a text', { files: JSON.stringify([JSON.stringify(MAIN), JSON.stringify(DATA)]) }],
    ['everything as a text', JSON.stringify(JSON.stringify({ files: [MAIN, DATA] }))],
  ])('may be given %s, and no content is read as JSON', (_name, given) => {
    expect(draftAction(asking(SUBMIT, given))).toEqual({
      kind: 'submit',
      files: { 'scaffold.py': PROGRAM, 'data.json': `${DATA.content}\n` },
      warnings: [],
    });
  });

  test.each([{ files: MAIN }, { files: JSON.stringify(MAIN) }])('may be one file alone: %j', (given) => {
    expect(draftAction(asking(RUN_DRAFT, given))).toMatchObject({
      kind: 'run',
      files: { 'scaffold.py': PROGRAM },
    });
  });

  test('is a submission where there is a program in the text and no tool call', () => {
    const text = `Here it is.\n\n\`\`\`python\n${PROGRAM}\`\`\``;
    expect(draftAction({ text })).toMatchObject({ kind: 'submit', files: { 'scaffold.py': PROGRAM } });
    expect(draftAction({ text: 'I am thinking.', tool_calls: [] })).toMatchObject({ kind: 'refused' });
  });

  test.each<[string, unknown, string]>([
    ['run', { files: [MAIN] }, 'There is no tool "run"'],
    [RUN_DRAFT, '{"files": [', 'are not of the form'],
    [RUN_DRAFT, 'null', 'are not of the form'],
    [RUN_DRAFT, {}, 'are not of the form'],
    [RUN_DRAFT, { files: [] }, 'are not of the form'],
    [RUN_DRAFT, { files: [null] }, 'are not of the form'],
    [RUN_DRAFT, { files: [{ path: 'scaffold.py' }] }, 'are not of the form'],
    [RUN_DRAFT, { files: 'scaffold.py' }, 'are not of the form'],
    [SUBMIT, { files: [{ path: '../scaffold.py', content: 'x' }] }, 'is not a relative one of plain names'],
    [SUBMIT, { files: [{ path: 'helpers.py', content: 'x' }] }, 'None of the files is scaffold.py'],
    [SUBMIT, { files: [{ path: 'scaffold.py', content: 'x = 1' }] }, 'does not define process_input'],
  ])('%s with %j is refused: %s', (name, given, fault) => {
    const action = draftAction(asking(name, given));
    expect(action.kind).toBe('refused');
    expect((action as { fault: string }).fault).toContain(fault);
  });
});

describe('the conversation of a scaffolder that works in turns', () => {
  const prompt = [{ role: 'user' as const, content: 'write' }];

  test('answers every tool call, and says how many turns are left', () => {
    const two = asking(RUN_DRAFT, { files: [MAIN] });
    const calls = [...two.tool_calls, { id: 'c2', name: SUBMIT, arguments: '{}' }];
    const messages = turnMessages(
      prompt,
      [
        { reply: { text: 'first', tool_calls: calls }, told: 'it failed' },
        { reply: { text: ' ' }, told: 'say something' },
      ],
      4,
    );
    expect(messages).toEqual([
      ...prompt,
      { role: 'assistant', content: 'first', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'it failed\n\n3 turns are left.' },
      { role: 'tool', tool_call_id: 'c2', content: 'Not done: there is one tool call in a turn.' },
      { role: 'assistant', content: '(empty)' },
      { role: 'user', content: 'say something\n\n2 turns are left.' },
    ]);
    expect(turnMessages(prompt, [{ reply: { text: 'x' }, told: 'no' }], 2).at(-1)?.content).toContain(
      'This is the last turn: call submit_scaffold',
    );
    expect(turnMessages(prompt, [], 4)).toEqual(prompt);
  });

  test('shows what a draft did, the worst first, in so much room', () => {
    const runs = [
      runData({ score: 1, actual_output: 'right' }),
      runData({ score: 0.5, actual_output: 'x'.repeat(40_000), execution_log: 'Traceback' }),
    ];
    const report = draftReport(runs, () => 'the answer');
    expect(report).toMatch(/^The draft ran on 2 training examples; mean score 0\.75\.\n/);
    expect(report.indexOf('### Score 0.5')).toBeLessThan(report.indexOf('### Score 1'));
    for (const part of ['Traceback', 'right', 'the answer', 'characters left out'])
      expect(report).toContain(part);
    expect(report.length).toBeLessThanOrEqual(12_000);
  });
});
