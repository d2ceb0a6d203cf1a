import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GenerateReply } from '../../src/contracts/language-model.js';
import { createLanguageModel } from '../../src/language-models/create.js';
import { MARKS } from '../../src/replies/marks.js';
import { readingReplies, readReply, readText } from '../../src/replies/read-reply.js';
import { emptyReplyText, isMissing } from '../../src/replies/reply-faults.js';
import { temporaryFile } from '../in-process/support.js';
import { request } from '../language-models/support.js';

interface Case {
  text: string;
  said: string;
  thought: string;
}

const cases = readFileSync(new URL('reply-cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

describe('what is said in a text', () => {
  test.each(cases.map((row) => [JSON.stringify(row.text), row] as const))('%s', (_, row) => {
    expect(readText(row.text)).toEqual({ said: row.said, thought: row.thought });
  });

  test.each(cases.map(({ said }) => said))('stays as it is when it is read again: %j', (said) => {
    expect(readText(said).said).toBe(said);
  });

  const pieces = fc.array(
    fc.constantFrom(
      ...['<think>', '</think>', '[THINK]', '[/THINK]', '<|channel|>final<|message|>', 'assistantfinal'],
      ...['```python\n', '\n```\n', '`', '"', '\n', 'so', 'B', '<|channel>thought'],
    ),
    { maxLength: 24 },
  );

  test('holds nothing that the text does not, and nothing is lost but marks', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('');
        const { said, thought } = readText(text);
        const letters = (one: string) => [...one].filter((letter) => letter === 'B' || letter === '"').length;
        expect(letters(said) + letters(thought)).toBe(letters(text));
      }),
    );
  });

  test('is found in linear time', () => {
    const hostile = [
      ...['<think>[/THINK]', '</think>', '`</think>`', '```\n</think>\n', '<think>', '<think '],
      ...['assistantfinalX', '<|channel|>', '<|channel|>final', '"</think>', 'analysis'],
      ...['<s>', '<s>B</s>[INST]', 'B<|im_end|><|im_start|>', '<|im_end|>'],
    ];
    for (const piece of hostile) {
      const [short, long] = [20_000, 160_000].map((size) => piece.repeat(size / piece.length));
      // Eight times as much takes about eight times as long; with a square of it, the test would run out of time.
      readText(short ?? '');
      readText(long ?? '');
    }
  });
});

describe('a reply', () => {
  const reply = (more: Partial<GenerateReply>): GenerateReply => ({
    text: '',
    finish_reason: 'stop',
    ...more,
  });

  test('keeps thoughts from a field of the provider’s and from its text', () => {
    expect(readReply(reply({ text: 'B', reasoning: 'perhaps A' }))).toEqual(
      reply({ text: 'B', reasoning: 'perhaps A' }),
    );
    expect(readReply(reply({ text: '<think>or C</think>B', reasoning: 'perhaps A' }))).toEqual(
      reply({ text: 'B', reasoning: 'perhaps A\n\nor C' }),
    );
  });

  test('of thoughts alone is an answer that is empty, and one of nothing is missing', () => {
    const onlyThought = readReply(reply({ text: '<think>perhaps A' }));
    expect(onlyThought).toEqual(reply({ text: '', reasoning: 'perhaps A', only_thought: true }));
    expect(isMissing(onlyThought)).toBe(false);
    expect(isMissing(readReply(reply({ text: ' \n' })))).toBe(true);
    expect(isMissing(readReply(reply({ text: '', reasoning: 'perhaps A' })))).toBe(true);
  });

  test.each<[string, Partial<GenerateReply>, string[] | undefined, boolean]>([
    ['in its text', { text: '<think>Let me see\n\n' }, ['Answer:'], true],
    ['in a field', { text: '', reasoning: 'Let me see' }, ['Answer:'], true],
    ['that a limit cut off', { text: '<think>Let me see', finish_reason: 'length' }, ['Answer:'], false],
    ['that it ended itself', { text: '<think>Let me see' }, undefined, false],
    ['that it ended itself, with no text to stop at', { text: '<think>Let me see' }, [], false],
    ['before an answer', { text: '<think>Let me see</think>7' }, ['Answer:'], false],
    ['where they are closed', { text: '<think>I give up.</think>' }, ['Answer:'], false],
    ['where they are closed, before the end of a turn', { text: '<think>I</think></s>' }, ['</s>'], false],
    ['where others were closed before', { text: '<think>I</think>\n<think>Let me' }, ['Answer:'], true],
  ])('of thoughts is missing where a text of stop ended them: %s', async (_where, more, stop, isEnded) => {
    const model = readingReplies({ generate: () => Promise.resolve(reply(more)) });
    const read = await model.generate(request('?', { parameters: { stop } }));
    expect(read.stopped_in_thought).toBe(isEnded ? true : undefined);
    expect(isMissing(read)).toBe(isEnded);
    const words = 'all its words are reasoning, which one of the texts of `stop` ended (finish reason: stop)';
    if (isEnded) expect(emptyReplyText(read)).toBe(`the model's reply is empty: ${words}`);
  });

  test('that calls a tool may say nothing beside its thoughts', () => {
    const tool_calls = [{ id: 'c', name: 'find', arguments: '{}' }];
    expect(readReply(reply({ text: '<think>I look</think>', tool_calls }))).toEqual(
      reply({ text: '', reasoning: 'I look', tool_calls, as_given: { text: '<think>I look</think>' } }),
    );
  });

  test('is read whichever provider it comes from', async () => {
    const call = { sample_id: 's', trial: 0, purpose: 'act' as const, ordinal: 0 };
    const request = { messages: [{ role: 'user' as const, content: 'Q' }], parameters: {}, call };
    const script = await temporaryFile('script.yaml', '- { match: "", reply: "<think>A</think>B" }');
    const recording = await temporaryFile(
      'calls.jsonl',
      JSON.stringify({ ...call, text: '[THINK]A[/THINK]B' }),
    );
    for (const settings of [
      { provider: 'scripted' as const, script },
      { provider: 'replay' as const, recording },
    ]) {
      const { model } = await createLanguageModel(
        { model: 'm', timeout_sec: 10, ...settings },
        { environment: {} },
      );
      expect(await model.generate(request)).toMatchObject({ text: 'B', reasoning: 'A' });
    }
  });
});

test('each kind of mark has a row in the table', () => {
  for (const { name, open, close } of MARKS) {
    const uses = (pattern: string) => cases.some(({ text }) => new RegExp(pattern, 'i').test(text));
    expect([name, uses(open), uses(close)]).toEqual([name, true, true]);
  }
});
