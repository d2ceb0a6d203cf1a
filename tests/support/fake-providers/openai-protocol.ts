import type { Protocol } from './behaviours.js';

const REASONING_MODEL = /^(?:o\d|gpt-5)/;

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

/** `POST /v1/chat/completions`, strict about what OpenAI itself is strict about. */
export const openaiProtocol: Protocol = {
  basePath: '/v1',
  accepts: (path) => path === '/v1/chat/completions',
  read(_path, body) {
    const last = body.messages?.findLast((message: { role: string }) => message.role === 'user');
    return { model: String(body.model), lastUserText: textOf(last?.content) };
  },
  refuse({ body, model }) {
    if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' must not be empty";
    if (REASONING_MODEL.test(model)) {
      if ('max_tokens' in body) {
        return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
      }
      if (body.temperature !== undefined && body.temperature !== 1) {
        return "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported.";
      }
    }
    const asked = new Set<string>();
    for (const message of body.messages) {
      for (const call of message.tool_calls ?? []) asked.add(call.id);
      if (message.role === 'tool' && !asked.has(message.tool_call_id)) {
        return `tool_call_id '${message.tool_call_id}' answers no tool call`;
      }
    }
    return undefined;
  },
  writeReply(reply, request) {
    const calls = reply.toolCalls?.map((call, index) => ({
      id: call.id ?? `call_${request.number}_${index}`,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }));
    const usage = reply.usage === undefined ? { input: 10, output: 2 } : reply.usage;
    return {
      id: `chatcmpl-${request.number}`,
      object: 'chat.completion',
      created: 1,
      model: reply.model ?? request.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: calls === undefined ? (reply.text ?? '') : (reply.text ?? null),
            ...(reply.thoughts !== undefined && { reasoning_content: reply.thoughts }),
            ...(calls && { tool_calls: calls }),
          },
          finish_reason: reply.finish ?? (calls ? 'tool_calls' : 'stop'),
        },
      ],
      ...(usage && {
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
        },
      }),
    };
  },
  writeError({ status, message, code }) {
    return {
      error: {
        message: message ?? `fake error ${status}`,
        type: 'fake_error',
        param: null,
        code: code ?? null,
      },
    };
  },
};
