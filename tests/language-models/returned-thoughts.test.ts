import { describe, expect, test } from 'vitest';
import type { ChatMessage, GenerateParameters, GenerateReply } from '../../src/contracts/language-model.js';
import { readingReplies } from '../../src/replies/read-reply.js';
import type { ProviderKind } from '../support/fake-providers/behaviours.js';
import { fake, modelFor, request, weatherTool } from './support.js';

const CALL = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
const completion = (message: object) => ({
  choices: [{ message: { role: 'assistant', content: null, ...message }, finish_reason: 'tool_calls' }],
  usage: { prompt_tokens: 9, completion_tokens: 4 },
});
const blocks = (...content: object[]) => ({
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: 'tool_use',
  usage: { input_tokens: 9, output_tokens: 4 },
});
const converse = (...content: object[]) => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'tool_use',
  usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 },
});
const candidate = (...parts: object[]) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
});

const USER: ChatMessage = { role: 'user', content: 'Look.' };

/** The chat after a reply with calls: the reply, and the results of its calls. */
function answered({ text, tool_calls = [], reasoning, as_given }: GenerateReply): ChatMessage[] {
  return [
    { role: 'assistant', content: text, tool_calls, reasoning, as_given },
    ...tool_calls.map(({ id }): ChatMessage => ({ role: 'tool', content: 'blue', tool_call_id: id })),
  ];
}

/** A model, and what it answers with a body. */
async function talking(kind: ProviderKind, options: { model?: string } = {}) {
  const provider = await fake(kind);
  const said: string[] = [];
  const notify = (sentence: string) => said.push(sentence);
  const model = readingReplies(await modelFor(provider, { ...options, notify }));
  const answer = (body: object, chat: ChatMessage[], parameters: GenerateParameters = {}) => {
    provider.next({ kind: 'raw', body: JSON.stringify(body), contentType: 'application/json' });
    return model.generate(request(chat, { parameters }));
  };
  const sent = () => provider.requests.at(-1)?.body;
  return { provider, model, answer, sent, said };
}

/** The message of the reply as the server gets it back with the results. */
async function returned(kind: ProviderKind, body: object, model?: string) {
  const talk = await talking(kind, model === undefined ? {} : { model });
  const reply = await talk.answer(body, [USER]);
  await talk.model.generate(request([USER, ...answered(reply)], { tools: [weatherTool] }));
  const { messages, contents } = talk.sent();
  return (messages ?? contents)[1];
}

describe('thoughts before a call go back with its result', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'e30=', id: 'r1', index: 0 }];
  const parts = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    { type: 'text', text: 'Wait.' },
  ];
  test.each<[string, object, object]>([
    ['vLLM', { reasoning: 'Hm.' }, { content: null, reasoning: 'Hm.' }],
    ['DeepSeek', { reasoning_content: 'Hm.\n' }, { content: null, reasoning_content: 'Hm.\n' }],
    ['both names', { reasoning: 'a', reasoning_content: 'a' }, { reasoning: 'a', reasoning_content: 'a' }],
    [
      'OpenRouter',
      { reasoning: null, reasoning_details: details },
      { content: null, reasoning_details: details },
    ],
    ['Mistral', { content: parts }, { content: parts }],
    [
      'a server without a parser',
      { content: '<think>Hm.</think>\n\nA' },
      { content: '<think>Hm.</think>\n\nA' },
    ],
    ['one that eats the first mark', { content: 'Hm.</think>' }, { content: 'Hm.</think>' }],
    [
      'one that leaves the end',
      { content: '<think>Hm.</think>A<|im_end|>' },
      { content: '<think>Hm.</think>A' },
    ],
    [
      'channels, whose marks a template refuses',
      { content: '<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>A' },
      { content: 'A' },
    ],
    ['no thoughts', { reasoning_content: '', reasoning: null, content: 'A' }, { content: 'A' }],
  ])('as they came: %s', async (_of, message, expected) => {
    const sent = await returned('openai', completion({ ...message, tool_calls: [CALL] }));
    expect(sent).toEqual({
      role: 'assistant',
      ...('content' in expected ? {} : { content: null }),
      ...expected,
      tool_calls: [CALL],
    });
  });

  test.each<[string, object[], object[]]>([
    [
      'with their signature, before text and calls',
      [
        { type: 'thinking', thinking: 'Hm. ', signature: 'S=' },
        { type: 'redacted_thinking', data: 'ENC' },
        { type: 'text', text: 'Wait.' },
        { type: 'tool_use', id: 't:1', name: 'look', input: { id: 2 } },
      ],
      [
        { type: 'thinking', thinking: 'Hm. ', signature: 'S=' },
        { type: 'redacted_thinking', data: 'ENC' },
        { type: 'text', text: 'Wait.' },
        { type: 'tool_use', id: expect.stringMatching(/^\w{9}$/), name: 'look', input: { id: 2 } },
      ],
    ],
    [
      'between calls, without blank texts',
      [
        { type: 'text', text: '\n' },
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
        { type: 'thinking', thinking: '', signature: 'S' },
        { type: 'tool_use', id: 'b', name: 'look', input: {} },
      ],
      [
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
        { type: 'thinking', thinking: '', signature: 'S' },
        { type: 'tool_use', id: 'b', name: 'look', input: {} },
      ],
    ],
  ])('as the very blocks of Anthropic: %s', async (_what, content, expected) => {
    expect((await returned('anthropic', blocks(...content))).content).toEqual(expected);
  });

  test('as the very blocks of Bedrock', async () => {
    const thought = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'S=' } } };
    const hidden = { reasoningContent: { redactedContent: 'aGk=' } };
    const use = { toolUse: { toolUseId: 'a', name: 'look', input: {} } };
    expect((await returned('bedrock', converse(thought, hidden, use))).content).toEqual([
      thought,
      hidden,
      use,
    ]);
  });

  test.each(['gemini-2.5-pro', 'gemini-3-pro'])('as the signatures of %s', async (model) => {
    const call = (id: string) => ({ functionCall: { id, name: 'look', args: {} } });
    const signed = { ...call('a'), thoughtSignature: 'S=' };
    const body = candidate({ text: 'Hm.', thought: true }, signed, call('b'));
    expect((await returned('gemini', body, model)).parts).toEqual([signed, call('b')]);
  });

  test("as Gemini's signature beside a call behind gateways", async () => {
    const call = { ...CALL, extra_content: { google: { thought_signature: 'S=' } }, index: 0 };
    const sent = await returned('openai', completion({ tool_calls: [call, { ...CALL, id: 'c2', odd: 1 }] }));
    expect(sent.tool_calls).toEqual([call, { ...CALL, id: 'c2' }]);
  });
});

const done: ChatMessage[] = [
  { role: 'assistant', content: 'Blue.' },
  { role: 'user', content: 'Sure?' },
];

describe('thoughts', () => {
  const thinking = completion({ reasoning: 'Hm.', tool_calls: [CALL] });

  test('of a turn that the user has ended stay out, the signatures of its calls do not', async () => {
    const signed = { ...CALL, extra_content: { google: { thought_signature: 'S=' } } };
    const { answer, sent, model } = await talking('openai');
    const reply = await answer(completion({ reasoning: 'Hm.', tool_calls: [signed] }), [USER]);
    await model.generate(request([USER, ...answered(reply), ...done]));
    expect(sent().messages[1]).toEqual({ role: 'assistant', content: null, tool_calls: [signed] });
  });

  test('of a reply without calls are not kept in its own form', async () => {
    const { answer } = await talking('openai');
    expect(
      await answer(completion({ content: '<think>Hm.</think>7', reasoning: 'b' }), [USER]),
    ).not.toHaveProperty('as_given');
  });

  test.each([
    [
      'Groq',
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is unsupported, did you mean 'role'?)]",
      400,
    ],
    ['Groq of a model', 'messages[1].reasoning: reasoning is not supported with this model', 400],
    ['Gemini', 'Invalid JSON payload received. Unknown name "reasoning": Cannot find field.', 400],
    ['a server without a place', "property 'reasoning_content' is unsupported", 400],
    [
      'Mistral',
      '[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning"],"msg":"Extra inputs are not permitted"}]',
      422,
    ],
    [
      "DeepSeek's older reasoner",
      'The reasoning_content is an intermediate result for display purposes only and will not be included in the context for inference. Please remove the reasoning_content from your message to reduce network traffic.',
      400,
    ],
    [
      'a template',
      'Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both.',
      500,
    ],
  ])('are left out where they are refused, and from then on: %s', async (_by, message, status) => {
    const { answer, provider, model, said } = await talking('openai');
    const reply = await answer(thinking, [USER], { reasoning_effort: 'low' });
    provider.next({ kind: 'status', status, message });
    const chat = [USER, ...answered(reply)];
    const second = await model.generate(request(chat, { parameters: { reasoning_effort: 'low' } }));
    await model.generate(request(chat));
    const sent = provider.requests.map(({ body }) => body.messages[1]?.reasoning);
    expect(sent).toEqual([undefined, 'Hm.', undefined, undefined]);
    expect(provider.requests[2]?.body.reasoning_effort).toBe('low');
    expect(second.adapted).toEqual([
      expect.stringMatching(
        /^the thoughts before a tool call are not sent back with its result: the server says: /,
      ),
    ]);
    expect(said).toEqual(second.adapted);
  });

  test('of all turns go back where a server says that one is missing', async () => {
    const { answer, provider, model, sent } = await talking('openai');
    const reply = await answer(completion({ reasoning_content: 'Hm.', tool_calls: [CALL] }), [USER]);
    const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    provider.next({ kind: 'status', status: 400, message });
    await model.generate(request([USER, ...answered(reply), ...done]));
    expect(sent().messages[1].reasoning_content).toBe('Hm.');
  });
});

describe('manual thinking of Claude', () => {
  const parameters = { thinking_budget: 2048, max_output_tokens: 4000 };
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'S=' };
  const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });

  test('stays on for results of calls that thoughts came before', async () => {
    const { answer, sent, model, said } = await talking('anthropic');
    const first = await answer(blocks(thought, use('a')), [USER], parameters);
    const second = await answer(blocks(use('b')), [USER, ...answered(first)], parameters);
    await model.generate(request([USER, ...answered(first), ...answered(second)], { parameters }));
    expect(sent()).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2048 } });
    expect(sent().messages[1].content).toEqual([thought, use('a')]);
    expect(said).toEqual([]);
  });

  test('has its thoughts back where the user speaks beside the results', async () => {
    const { answer, sent, model } = await talking('anthropic');
    const note: ChatMessage = { role: 'user', content: '2 turns left.' };
    const first = await answer(blocks(thought, use('a')), [USER], parameters);
    await model.generate(request([USER, ...answered(first), note], { parameters }));
    expect(sent().thinking).toMatchObject({ type: 'enabled' });
    expect(sent().messages.map(({ content }: { content: unknown }) => content)).toEqual([
      [{ type: 'text', text: 'Look.' }],
      [thought, use('a')],
      [expect.objectContaining({ type: 'tool_result' }), { type: 'text', text: note.content }],
    ]);
    const second = await answer(blocks(use('b')), [USER, ...answered(first), note], parameters);
    await model.generate(request([USER, ...answered(first), note, ...answered(second)], { parameters }));
    expect(sent().messages[1].content).toEqual([thought, use('a')]);
    const plain = await answer(blocks(use('c')), [USER], parameters);
    await model.generate(request([USER, ...answered(plain), note], { parameters }));
    expect(sent()).not.toHaveProperty('thinking');
    await model.generate(request([USER, ...answered(first), note, ...done], { parameters }));
    expect(sent().thinking).toMatchObject({ type: 'enabled' });
    expect(sent().messages[1].content).toEqual([use('a')]);
  });

  test('is off where none did, or where the API refuses them', async () => {
    const { answer, provider, sent, model, said } = await talking('anthropic');
    const plain = await answer(blocks(use('a')), [USER], parameters);
    await model.generate(request([USER, ...answered(plain)], { parameters }));
    expect(sent()).not.toHaveProperty('thinking');
    const first = await answer(blocks(thought, use('a')), [USER], parameters);
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    provider.next({ kind: 'status', status: 400, message });
    await model.generate(request([USER, ...answered(first)], { parameters }));
    expect(sent()).not.toHaveProperty('thinking');
    expect(sent().messages[1].content).toEqual([use('a')]);
    expect(said).toEqual([
      'thinking is off in the requests that carry tool results, as no thoughts came before the calls',
      `the thoughts before a tool call are not sent back with its result: the server says: ${message}`,
    ]);
    await model.generate(request([USER], { parameters }));
    expect(sent().thinking).toEqual({ type: 'enabled', budget_tokens: 2048 });
  });
});

test('a call that Gemini has not made gets its stand-in of a signature where an address refuses it', async () => {
  const { provider, model, sent } = await talking('openai');
  const chat = [
    USER,
    ...answered({
      text: '',
      finish_reason: 'stop',
      tool_calls: ['a', 'b'].map((id) => ({ id, name: 'look', arguments: '{}' })),
    }),
  ];
  const message =
    'Function call is missing a thought_signature in functionCall parts. This is required for tools.';
  provider.next({ kind: 'status', status: 400, message });
  await model.generate(request(chat));
  expect(provider.statistics.calls).toBe(2);
  await model.generate(request(chat));
  expect(sent().messages[1].tool_calls).toEqual([
    {
      ...CALL,
      id: 'a',
      extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
    },
    { ...CALL, id: 'b' },
  ]);
});
