import { describe, expect, test } from 'vitest';
import { Chat } from '../../src/trajectories/chat.js';
import { ChatTemplateError } from '../../src/trajectories/chat-template.js';
import { compileChatTemplate } from '../../src/trajectories/jinja.js';
import { calling, system, toolResult, user } from './support.js';

const chat = new Chat({ messages: [system('Be terse.'), user('Hé?')] });

const CHATML = compileChatTemplate(`{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content | trim + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}`);

describe('a chat template', () => {
  test('renders a chat as the model reads it', () => {
    const text = '<|im_start|>system\nBe terse.<|im_end|>\n<|im_start|>user\nHé?<|im_end|>\n';
    expect(chat.applyChatTemplate(CHATML)).toBe(text);
    expect(chat.applyChatTemplate(CHATML, { addGenerationPrompt: true })).toBe(
      `${text}<|im_start|>assistant\n`,
    );
  });

  test('writes tools and calls as JSON', () => {
    const template = compileChatTemplate(`{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{% for message in messages %}{% for call in message.tool_calls or [] %}{{ call.function.arguments | tojson }}{% endfor %}{% endfor %}`);
    const called = new Chat({
      messages: [user('q'), calling(['1', 'look', '{"at":1}']), toolResult('1', 'a cat')],
    });
    expect(called.applyChatTemplate(template, { tools: [{ name: 'look' }] })).toBe(
      '{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}\n{"at": 1}',
    );
  });

  test('knows what templates know: special tokens, ranges, namespaces, the date', () => {
    const template = compileChatTemplate(
      `{{ bos_token }}{% set ns = namespace(last=0) %}{% for i in range(1, 8, 3) %}{% set ns.last = i %}{% endfor %}{{ ns.last }}
{{ range(3) | length }}{{ range(3, 0, -2) | join('') }}{{ strftime_now('%d %b %Y') }}`,
    );
    const options = { specialTokens: { bos_token: '<s>' }, now: new Date(Date.UTC(2026, 6, 26)) };
    expect(chat.applyChatTemplate(template, options)).toBe('<s>7\n33126 Jul 2026');
    expect(() => chat.applyChatTemplate(template)).toThrow(/give `now`/);
  });

  test('has the line ends of Jinja', () => {
    expect(chat.applyChatTemplate(compileChatTemplate('a\r\n{{ messages | length }}\r\nb'))).toBe('a\n2\nb');
  });

  test('may be compiled once and applied to many', () => {
    const other = new Chat({ messages: [user('x')] });
    expect([chat, other, chat].map((one) => one.applyChatTemplate(CHATML).length)).toEqual([70, 29, 70]);
  });
});

describe('is refused', () => {
  test('what is no Jinja', () => {
    expect(() => compileChatTemplate('{% if %}')).toThrow(ChatTemplateError);
    expect(() => compileChatTemplate('{{ unclosed')).toThrow(/is not Jinja/);
  });

  test('a chat that the template refuses', () => {
    const strict = compileChatTemplate("{{ raise_exception('system role not supported') }}");
    expect(() => chat.applyChatTemplate(strict)).toThrow(/system role not supported/);
  });

  test('what would join a text and an object', () => {
    const joining = compileChatTemplate("{{ 'call ' + messages[1].tool_calls[0].function.arguments }}");
    const called = new Chat({ messages: [user('q'), calling(['1', 'look', '{"at":1}'])] });
    expect(() => called.applyChatTemplate(joining)).toThrow(/toolArguments/);
    expect(called.applyChatTemplate(joining, { toolArguments: 'text' })).toBe('call {"at":1}');
  });
});
