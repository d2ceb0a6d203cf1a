import { describe, expect, test } from 'vitest';
import { type EpisodeVerdict, readVerdict } from '../../../../src/kinds/judge/judging/verdict.js';
import { rubricWith, verdictText, wholeVerdictText } from './support.js';

const { criteria } = rubricWith();
const VERDICT = {
  helpful: { score: 4, reason: 'It helps.' },
  polite: { score: 1, reason: 'It says please.' },
};

describe('a verdict is read', () => {
  test.each([
    ['as it was asked for', verdictText()],
    ['from a fenced block', `Here it is:\n\`\`\`json\n${verdictText()}\n\`\`\`\nThat is all.`],
    ['from the prose around it', `My verdict: ${verdictText()} I hope that helps.`],
    ['with line breaks', JSON.stringify(JSON.parse(verdictText()), null, 2)],
    ['from a fenced block after braces in the prose', `Of {1, 2:\n\`\`\`\n${verdictText()}\n\`\`\``],
    ['after braces that are no JSON', `By \\{a "set" and {helpful, polite}: ${verdictText()}`],
    ['after a draft', `${verdictText(2, 0)}\nOn reflection: ${verdictText()}`],
    [
      'after a fenced draft',
      `\`\`\`json\n${verdictText(2, 0)}\n\`\`\`\nOn reflection:\n\`\`\`json\n${verdictText()}\n\`\`\``,
    ],
    [
      'after a fenced draft, without a fence',
      `\`\`\`\n${verdictText(2, 0)}\n\`\`\`\nOn reflection: ${verdictText()}`,
    ],
    ['before another object, which is about something else', `${verdictText()}\n{"overall": 1}`],
    ['before criteria in prose', `${verdictText()}\nThe "polite": 1 is for its tone.`],
    ['before braces that do not close', `${verdictText()} {and so on`],
    ['after a brace of a program that does not close', `It wrote \`if (x) {\` and stopped. ${verdictText()}`],
    [
      'after a program with braces and quotation marks that do not close',
      `It wrote\nvoid Main() {\n  Console.Write($"{x\nand stopped.\n${verdictText()}`,
    ],
    ['after JSON in the prose that does not close', `Its \`{"name": "Al\` is cut off.\n\n${verdictText()}`],
    ['within braces that are no JSON', `{{${verdictText()}}}`],
    [
      'with its reasons under other names',
      verdictText().replace('reason', 'rationale').replace('"reason', '"explanation'),
    ],
    ['without what nobody asked for', JSON.stringify({ ...JSON.parse(verdictText()), overall: 3 })],
  ])('%s', (_, text) => {
    expect(readVerdict(text, criteria)).toEqual({ ok: true, verdict: VERDICT });
  });

  test.each([
    [true, 'All was done.', { success: true, rationale: 'All was done.' }],
    [false, ' It gave up. ', { success: false, rationale: 'It gave up.' }],
    ['true', 'All was done.', { success: true, rationale: 'All was done.' }],
    [' False', 'It gave up.', { success: false, rationale: 'It gave up.' }],
    ['Yes', 'All was done.', { success: true, rationale: 'All was done.' }],
    ['no', 'It gave up.', { success: false, rationale: 'It gave up.' }],
    [1, 'All was done.', { success: true, rationale: 'All was done.' }],
    [0, 'It gave up.', { success: false, rationale: 'It gave up.' }],
    [false, ' ', { success: false, rationale: '' }],
    [true, 7, { success: true, rationale: '' }],
  ])('with what it says of the whole episode: %j, %j', (success, reason, episode) => {
    const read = readVerdict(wholeVerdictText(success, reason), criteria);
    expect(read).toEqual({ ok: true, verdict: VERDICT, episode });
  });

  test.each<[unknown, EpisodeVerdict | undefined]>([
    [false, { success: false, rationale: '' }],
    ['no', { success: false, rationale: '' }],
    [{ success: false }, { success: false, rationale: '' }],
    [
      { score: 0, reason: 'It gave up.' },
      { success: false, rationale: 'It gave up.' },
    ],
    [
      { success: false, rationale: 'It gave up.' },
      { success: false, rationale: 'It gave up.' },
    ],
    [
      { success: true, explanation: 'All was done.' },
      { success: true, rationale: 'All was done.' },
    ],
    [null, undefined],
  ])('with a whole episode of another form: %j', (whole_episode, episode) => {
    const text = JSON.stringify({ ...JSON.parse(verdictText()), whole_episode });
    expect(readVerdict(text, criteria)).toEqual({ ok: true, verdict: VERDICT, episode });
  });

  test.each([
    [
      'LaTeX',
      'It has \\(x^2\\), \\alpha and \\underline{y}.',
      'It has \\(x^2\\), \\alpha and \\underline{y}.',
    ],
    ['a pattern', 'It asks for \\d+ in "it".', 'It asks for \\d+ in "it".'],
    ['line breaks', 'It helps:\n\t- here, }\r\n\t- there.', 'It helps:\n\t- here, }\r\n\t- there.'],
    ['escapes, too', 'Of \\u00e4 \\n and \\\\ \\(x\\)', 'Of ä \n and \\ \\(x\\)'],
  ])('with %s that is not escaped in a reason', (_, written, reason) => {
    const text = verdictText().replace('It helps.', written.replaceAll('"', '\\"'));
    const read = readVerdict(`Of {1, 2}: ${text}`, criteria);
    expect(read).toEqual({ ok: true, verdict: { ...VERDICT, helpful: { score: 4, reason } } });
  });

  test('with commas too much', () => {
    const text = verdictText().replaceAll('}', ',\n}');
    expect(readVerdict(text, criteria)).toEqual({ ok: true, verdict: VERDICT });
  });

  test('with scores at either end of the range, and between whole numbers', () => {
    for (const [helpful, polite] of [
      [1, 0],
      [5, 1],
      [2.5, 0.25],
    ]) {
      expect(readVerdict(verdictText(helpful, polite), criteria)).toMatchObject({
        verdict: { helpful: { score: helpful }, polite: { score: polite } },
      });
    }
  });
});

describe('what is wrong with a reply is said', () => {
  const entries = JSON.parse(verdictText());
  test.each([
    ['an empty one', '', 'holds no JSON object'],
    ['a refusal', 'I would rather not.', 'holds no JSON object'],
    ['one that was cut off', verdictText().slice(0, -2), 'holds no JSON object'],
    ['a list', '[4, 1]', 'holds no JSON object'],
    ['the form', verdictText().replace('4', '<number from 1 to 5>'), 'holds no JSON object'],
    ['a missing comma', verdictText().replace('},', '}'), 'holds no JSON object'],
    ['a comma without a score', verdictText().replace('4', ''), 'holds no JSON object'],
    ['a missing criterion', JSON.stringify({ helpful: entries.helpful }), '"polite" must be an object'],
    ['a bare score', JSON.stringify({ ...entries, polite: 1 }), '"polite" must be an object'],
    [
      'a score that is a text',
      verdictText('4'),
      '"helpful": "score" must be a number from 1 to 5; it is "4".',
    ],
    ['a score above the range', verdictText(6), '"helpful": "score" must be a number from 1 to 5; it is 6.'],
    ['a score below it', verdictText(4, -0.1), '"polite": "score" must be a number from 0 to 1; it is -0.1.'],
    ['no score', verdictText(null), '"helpful": "score" must be a number from 1 to 5; it is null.'],
    ['a draft before one', `${verdictText()}\n${verdictText(6)}`, '"helpful": "score" must be a number'],
    [
      'one whose last object lacks a criterion',
      `${verdictText()} {"helpful": 1}`,
      '"polite" must be an object',
    ],
    [
      'one whose last object has quotation marks that are not escaped',
      `It planted ${verdictText()}.\n${verdictText(1, 0).replace('It helps.', 'It says "yes" to me.')}`,
      'last JSON object of the reply cannot be read',
    ],
    ...[40, 70, 90].map((length): [string, string, string] => [
      `one whose last object was cut off after ${length} characters`,
      `It planted ${verdictText()}.\n\`\`\`json\n${verdictText(1, 0).slice(0, length)}`,
      'last JSON object of the reply cannot be read',
    ]),
    [
      'one that was cut off behind a planted verdict',
      `{"helpful": {"reason": "It planted {\n${verdictText()}`,
      'holds no JSON object',
    ],
    ['the last of several, none of which is whole', '{"polite": 1} {"helpful": 2}', 'it is 2.'],
    ...[{ reason: 'It gave up.' }, { success: 'partly' }, { score: 3 }, 'it depends', []].map(
      (whole_episode): [string, string, string] => [
        `a whole episode that is ${JSON.stringify(whole_episode)}`,
        JSON.stringify({ ...entries, whole_episode }),
        '"whole_episode" must be an object with "reason" and "success"',
      ],
    ),
    [
      'no reason',
      JSON.stringify({ ...entries, polite: { score: 1, reason: ' ' } }),
      '"polite": "reason" must be a text that says why',
    ],
  ])('of %s', (_, text, fault) => {
    expect(readVerdict(text, criteria)).toEqual({ ok: false, fault: expect.stringContaining(fault) });
  });

  test('for every criterion, in a bounded number of characters', () => {
    const both = readVerdict(verdictText(9, 9), criteria);
    expect(both).toMatchObject({ fault: expect.stringMatching(/"helpful".*"polite"/) });
    const many = Array.from({ length: 50 }, (_, index) => ({ ...criteria[0], name: `c${index}` }));
    const read = readVerdict('{}', many as typeof criteria);
    expect(read.ok ? 0 : read.fault.length).toBe(600);
  });

  test('where a criterion is named as something that every object has', () => {
    const named = [{ name: 'constructor', description: '?', range: [0, 1] as [number, number] }];
    expect(readVerdict('{}', named).ok).toBe(false);
    const text = '{"constructor": {"score": 1, "reason": "built"}}';
    expect(readVerdict(text, named)).toEqual({
      ok: true,
      verdict: { constructor: { score: 1, reason: 'built' } },
    });
  });
});
