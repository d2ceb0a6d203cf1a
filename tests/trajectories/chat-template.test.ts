import { describe, expect, test } from 'vitest';
import { Chat } from '../../src/trajectories/chat.js';
import {
  type ChatTemplate,
  ChatTemplateError,
  type ChatTemplateOptions,
} from '../../src/trajectories/chat-template.js';
import { readTokenizerConfig } from '../../src/trajectories/tokenizer-config.js';

const chat = new Chat({
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'rules' }], label: 'rules' },
    { role: 'user', content: 'look' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', name: 'look', arguments: '{"at": 1}' },
        { id: 'b', name: 'look', arguments: 'at 2' },
        { type: 'function', function: { name: 'look', arguments: { at: 3 } } },
        { id: 'd', name: 'look', arguments: '{"at": 1234567890123456789}' },
      ],
    },
    { role: 'tool', content: 'a cat', tool_call_id: 'a' },
  ],
});

/** What a template is given to render. */
function given(options: ChatTemplateOptions = {}): Record<string, unknown> {
  let seen: Record<string, unknown> = {};
  const template: ChatTemplate = {
    render(variables) {
      seen = variables;
      return 'text';
    },
  };
  expect(chat.applyChatTemplate(template, options)).toBe('text');
  return seen;
}

const argumentsOf = ({ messages }: Record<string, unknown>) =>
  (messages as { tool_calls?: { function: { arguments: unknown } }[] }[])[2]?.tool_calls?.map(
    (call) => call.function.arguments,
  );

describe('a chat template is given', () => {
  test('messages without labels, and tool calls nested with parsed arguments', () => {
    expect(given().messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'rules' }] },
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: { at: 1 } } },
          { id: 'b', type: 'function', function: { name: 'look', arguments: 'at 2' } },
          { type: 'function', function: { name: 'look', arguments: { at: 3 } } },
          { id: 'd', type: 'function', function: { name: 'look', arguments: '{"at": 1234567890123456789}' } },
        ],
      },
      { role: 'tool', content: 'a cat', tool_call_id: 'a' },
    ]);
  });

  test('arguments as text, for a template that wants them so', () => {
    expect(argumentsOf(given({ toolArguments: 'text' }))).toEqual([
      '{"at": 1}',
      'at 2',
      '{"at":3}',
      '{"at": 1234567890123456789}',
    ]);
  });

  test('contents in one form, for a template that knows only one', () => {
    const contents = (content: 'text' | 'parts') =>
      (given({ content }).messages as { content: unknown }[]).map((message) => message.content);
    expect(contents('text')).toEqual(['rules', 'look', '', 'a cat']);
    expect(contents('parts')).toEqual(['rules', 'look', '', 'a cat'].map((text) => [{ type: 'text', text }]));
  });

  test('tools nested, special tokens, the template’s own variables, and whether the reply begins', () => {
    const parameters = { type: 'object', properties: { at: { type: 'number' } } };
    const nested = { type: 'function', function: { name: 'book', description: 'Books.', parameters } };
    const seen = given({
      tools: [{ name: 'look', parameters }, nested, { name: 'wait' }],
      specialTokens: { bos_token: '<s>' },
      variables: { enable_thinking: false },
      addGenerationPrompt: true,
      exclude: ['tool_calls', 'tool_call_id'],
    });
    expect(seen).toMatchObject({ bos_token: '<s>', enable_thinking: false, add_generation_prompt: true });
    expect(seen.tools).toEqual([
      { type: 'function', function: { name: 'look', parameters } },
      nested,
      { type: 'function', function: { name: 'wait', parameters: { type: 'object', properties: {} } } },
    ]);
    expect((seen.messages as unknown[]).slice(2)).toEqual([
      { role: 'assistant', content: '' },
      { role: 'tool', content: 'a cat' },
    ]);
    expect(given()).toMatchObject({ tools: null, add_generation_prompt: false });
    expect(given({ tools: [] }).tools).toBeNull();
  });

  test('the date that it is told, never the clock’s', () => {
    const now = new Date(Date.UTC(2026, 6, 5, 0, 7, 9));
    const write = (seen: Record<string, unknown>) => seen.strftime_now as (format: string) => string;
    expect(write(given({ now }))('%d %b %Y|%A %a, %B %m %y|%H:%M:%S %I %p|100%%')).toBe(
      '05 Jul 2026|Sunday Sun, July 07 26|00:07:09 12 AM|100%',
    );
    expect(() => write(given({ now }))('%Z')).toThrow(/%Z/);
    expect(() => write(given())('%Y')).toThrow(/give `now`/);
  });
});

test('what a template refuses is told with its own words', () => {
  const template: ChatTemplate = {
    render() {
      throw new Error('roles must alternate');
    },
  };
  expect(() => chat.applyChatTemplate(template)).toThrow(ChatTemplateError);
  expect(() => chat.applyChatTemplate(template)).toThrow(/roles must alternate/);
});

test('an image is not shown as text', () => {
  const seeing = new Chat({ messages: [{ role: 'user', content: [{ type: 'image', image: 'a.png' }] }] });
  const template: ChatTemplate = { render: () => 'text' };
  expect(() => seeing.applyChatTemplate(template, { content: 'text' })).toThrow(ChatTemplateError);
  expect(seeing.applyChatTemplate(template)).toBe('text');
});

describe('a tokenizer’s config', () => {
  const config = {
    bos_token: { content: '<s>', lstrip: false },
    eos_token: '</s>',
    unk_token: null,
    model_max_length: 8192,
    chat_template: [
      { name: 'default', template: 'plain' },
      { name: 'tool_use', template: 'tools' },
    ],
  };

  test('tells the special tokens and the template that is asked for', () => {
    const specialTokens = { bos_token: '<s>', eos_token: '</s>' };
    expect(readTokenizerConfig(config)).toEqual({ source: 'plain', specialTokens });
    expect(readTokenizerConfig(config, { name: 'tool_use' })).toEqual({ source: 'tools', specialTokens });
    expect(readTokenizerConfig({ chat_template: 'only' })).toEqual({ source: 'only', specialTokens: {} });
    const apart = readTokenizerConfig({ eos_token: '</s>' }, { source: 'from chat_template.jinja' });
    expect(apart).toEqual({ source: 'from chat_template.jinja', specialTokens: { eos_token: '</s>' } });
  });

  test.each([
    ['has none', { eos_token: '</s>' }, /no chat template named default/],
    [
      'has it under other names',
      { chat_template: [{ name: 'rag', template: '' }] },
      /no chat template named default/,
    ],
    ['has something else', { chat_template: 3 }, /neither text nor a list/],
  ])('is refused where it %s', (_, value, message) => {
    expect(() => readTokenizerConfig(value)).toThrow(message);
  });
});
