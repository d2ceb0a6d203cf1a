import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedLanguageModel } from '../../src/language-models/scripted.js';
import { yamlBomb } from '../support/yaml-bomb.js';
import { failure, request } from './support.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reprise-scripted-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function model(yaml: string) {
  const script = join(folder, 'script.yaml');
  await writeFile(script, yaml);
  return await scriptedLanguageModel({ script, timeoutMs: 30_000 });
}

async function answer(yaml: string, ...parameters: Parameters<typeof request>) {
  return await (await model(yaml)).generate(request(...parameters));
}

describe('the scripted model', () => {
  it('answers with the first rule whose purpose and pattern fit', async () => {
    const rules = `
- {purpose: reflect, reply: a reflection}
- {match: 'capital of (\\w+)', reply: 'The capital of $1 is unknown.'}
- {match: 'capital', reply: never reached for countries}
- {reply: anything else}
`;
    expect((await answer(rules, 'What is the capital of Peru?')).text).toBe(
      'The capital of Peru is unknown.',
    );
    expect((await answer(rules, 'capital letters')).text).toBe('never reached for countries');
    expect((await answer(rules, 'hello')).text).toBe('anything else');
    expect((await answer(rules, 'capital of Peru', { call: { purpose: 'reflect' } })).text).toBe(
      'a reflection',
    );
  });

  it('costs nothing and stops by itself', async () => {
    expect(await answer('rules: [{reply: 42}]')).toEqual({ text: '42', finish_reason: 'stop', cost_usd: 0 });
  });

  it('looks at the last user message only', async () => {
    const chat = [
      { role: 'system' as const, content: 'one' },
      { role: 'user' as const, content: 'two' },
      { role: 'assistant' as const, content: 'three' },
      { role: 'user' as const, content: 'four' },
      { role: 'tool' as const, content: 'five', tool_call_id: 'x' },
    ];
    expect(
      (await answer('- {match: one|two|three|five, reply: wrong}\n- {match: four, reply: right}', chat)).text,
    ).toBe('right');
  });

  it.each([
    ['$1+$2', '12+34'],
    ['$0', 'add 12 and 34'],
    ['$&!', 'add 12 and 34!'],
    ['$<second>', '34'],
    ['$3 stays, $<third> too', '$3 stays, $<third> too'],
    ['$12 is group 1 and a 2', '122 is group 1 and a 2'],
    ['it costs $$5 or $\\boxed{$1}$', 'it costs $$5 or $\\boxed{12}$'],
  ])('fills %s', async (reply, expected) => {
    const rules = JSON.stringify([{ match: 'add (\\d+) and (?<second>\\d+)', reply }]);
    expect((await answer(rules, 'Please add 12 and 34.')).text).toBe(expected);
  });

  it('leaves dollar signs alone in a rule without a pattern', async () => {
    expect((await answer("- {reply: '$1 and $&'}")).text).toBe('$1 and $&');
  });

  it('takes the reply at trial + ordinal, and repeats the last one', async () => {
    const rules = '- {replies: [first, second, third]}';
    const at = async (trial: number, ordinal: number) =>
      (await answer(rules, '?', { call: { trial, ordinal } })).text;
    expect([await at(0, 0), await at(0, 1), await at(1, 0), await at(1, 1), await at(9, 9)]).toEqual([
      'first',
      'second',
      'second',
      'third',
      'third',
    ]);
  });

  it('plays tool calls, cut-off replies and usage', async () => {
    const rules = `
- match: weather in (\\w+)
  replies:
    - {tool_calls: [{name: get_weather, arguments: {city: $1, tags: ['$1!']}}, {id: mine, name: now, arguments: '{}'}]}
    - {text: cut of, finish_reason: length, usage: {input_tokens: 7, output_tokens: 3}}
`;
    expect(await answer(rules, 'weather in Oslo', { call: { purpose: 'agent' } })).toEqual({
      text: '',
      tool_calls: [
        { id: 'call_agent_0_0', name: 'get_weather', arguments: '{"city":"Oslo","tags":["Oslo!"]}' },
        { id: 'mine', name: 'now', arguments: '{}' },
      ],
      finish_reason: 'tool_calls',
      cost_usd: 0,
    });
    expect(await answer(rules, 'weather in Oslo', { call: { ordinal: 1 } })).toMatchObject({
      text: 'cut of',
      finish_reason: 'length',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
  });

  it('plays an empty reply', async () => {
    expect((await answer("- {reply: ''}")).text).toBe('');
  });

  it('understands flags in front of a pattern', async () => {
    expect((await answer('- {match: (?i)HELLO, reply: hi}', 'Hello')).text).toBe('hi');
  });

  it.each(['1.10', '007', '12345678901234567890', '1e3', '0x1F', 'True', '.5', '+5'])(
    'answers with %s as it is written, wherever a text may stand',
    async (text) => {
      expect((await answer(`- {reply: ${text}}`)).text).toBe(text);
      expect((await answer(`- {replies: [${text}]}`)).text).toBe(text);
      expect((await answer(`- {reply: {text: ${text}}}`)).text).toBe(text);
      expect(
        (await answer(`- {match: ${text.replace('+', '')}, reply: yes}\n- {reply: no}`, text)).text,
      ).toBe('yes');
    },
  );

  it('calls tools with numbers, and takes over what a merge key names', async () => {
    const rules = `
- &call { reply: { tool_calls: [{ name: pay, arguments: { amount: 1.10, to: 'a' } }], usage: { input_tokens: 0x10, output_tokens: 1 } } }
- { <<: *call, match: never }
`;
    const reply = await answer(rules);
    expect(reply.tool_calls).toMatchObject([{ name: 'pay', arguments: '{"amount":1.1,"to":"a"}' }]);
    expect(reply.usage).toMatchObject({ input_tokens: 16 });
  });

  it('says which call no rule matches, without a retry', async () => {
    const long = `Tell me ${'very '.repeat(200)}much`;
    const call = { sample_id: 'q-7', trial: 1, purpose: 'judge' as const, ordinal: 2 };
    const error = await failure(
      (await model('- {purpose: act, reply: x}')).generate(request(long, { call })),
    );
    expect(error).toMatchObject({
      kind: 'no_such_rule',
      retryable: false,
      fatalForRun: false,
      provider: 'scripted',
    });
    expect(error.message).toMatch(
      /script\.yaml has no rule for purpose 'judge' of sample q-7 \(trial 1, call 2\), whose last user message is: "Tell me very .*…"$/,
    );
    expect(error.message.length).toBeLessThan(600);
  });

  it('stops a pattern that would take for ever', async () => {
    const rules = await model("- {reply: x, purpose: user}\n- {match: '^(a+)+$', reply: x}");
    const error = await failure(rules.generate(request(`${'a'.repeat(40)}b`)));
    expect(error).toMatchObject({ kind: 'configuration', retryable: false });
    expect(error.message).toContain('rule 2, match: the pattern took longer than 1000 ms on sample s1');
  });

  it.each([
    ['rules: 3', 'must be a list of rules'],
    ['[]', 'has no rules'],
    ['- {reply: x}\n- {purpose: dream, reply: x}', 'rule 2, purpose: Invalid option'],
    ['- {match: a}', 'rule 1: needs either reply or replies'],
    ['- {reply: a, replies: [b]}', 'rule 1: needs either reply or replies'],
    ['- {replies: []}', 'rule 1, replies: must hold at least one reply'],
    ['- {reply: a, mach: b}', 'rule 1: Unrecognized key: "mach"'],
    ['- {match: "(", reply: a}', 'rule 1, match: Invalid regular expression'],
    ['- {reply: {txt: a}}', 'rule 1, reply: Unrecognized key: "txt"'],
    ['- {reply: [a]}', 'rule 1, reply: must be a text, or an object with text'],
    ['- just text', 'rule 1'],
    ['a: [b', 'script.yaml: '],
    [yamlBomb(), 'script.yaml: is no YAML: Excessive alias count'],
    ['- {reply: *none}', 'script.yaml: is no YAML: Unresolved alias'],
    ['- {reply: x}\n---\n- {reply: y}', 'it holds several documents, of which line 2 (---)'],
    ['- { match: a, reply: 1,000 }', "'000' at line 1, column 24 stands without a value"],
  ])('names what is wrong with %j', async (yaml, expected) => {
    const error = await failure(model(yaml));
    expect(error).toMatchObject({ kind: 'configuration', retryable: false, fatalForRun: true });
    expect(error.message).toContain(expected);
  });

  it('says that a script is missing', async () => {
    const error = await failure(scriptedLanguageModel({ script: join(folder, 'no.yaml'), timeoutMs: 1000 }));
    expect(error.kind).toBe('configuration');
    expect(error.message).toMatch(/no\.yaml: cannot be read \(ENOENT\)$/);
  });
});
