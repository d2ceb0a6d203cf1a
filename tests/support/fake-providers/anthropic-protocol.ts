import type { Protocol } from './behaviours.js';

const STOP = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** Models that refuse a temperature and a thinking budget with any version of the API. */
const ADAPTIVE_MODEL = /claude-(?:opus-4-[78]|[a-z]+-5)/;

interface Block {
  type: string;
  text?: string;
  id?: string;
  tool_use_id?: string;
}
interface Turn {
  role: string;
  content: string | Block[];
}

function blocksOf({ content }: Turn): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** `POST /v1/messages`, strict about roles, tool results, sampling parameters and thinking budgets. */
export const anthropicProtocol: Protocol = {
  basePath: '',
  accepts: (path) => path === '/v1/messages',
  read(_path, body) {
    const turns: Turn[] = body.messages ?? [];
    const said = turns.filter((turn) => turn.role === 'user' && blocksOf(turn).some(({ text }) => text));
    const last = said.at(-1);
    return {
      model: String(body.model),
      lastUserText:
        last === undefined
          ? ''
          : blocksOf(last)
              .map(({ text }) => text ?? '')
              .join(''),
    };
  },
  refuse({ body, headers, model }) {
    const version = headers['anthropic-version'];
    if (version === undefined) return 'anthropic-version: header is required';
    if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
    if (body.temperature !== undefined) {
      if (version >= '2026-10-21') return 'temperature: Extra inputs are not permitted';
      if (ADAPTIVE_MODEL.test(model)) return '`temperature` is deprecated for this model.';
      if (body.thinking?.type === 'enabled')
        return '`temperature` may only be set to 1 when thinking is enabled.';
    }
    if (body.thinking?.type === 'enabled') {
      if (ADAPTIVE_MODEL.test(model)) return '"thinking.type.enabled" is not supported for this model.';
      if (body.thinking.budget_tokens < 1024)
        return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
      if (body.thinking.budget_tokens >= body.max_tokens)
        return '`max_tokens` must be greater than `thinking.budget_tokens`';
    }
    const turns: Turn[] = body.messages ?? [];
    if (turns.length === 0) return 'messages: at least one message is required';
    for (const [index, turn] of turns.entries()) {
      if (turn.role !== 'user' && turn.role !== 'assistant')
        return `messages.${index}: Unexpected role "${turn.role}".`;
      const blocks = blocksOf(turn);
      if (blocks.some(({ type, text }) => type === 'text' && text === ''))
        return 'messages: text content blocks must be non-empty';
      const asked = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
      const next = turns[index + 1];
      const answered = next === undefined ? [] : blocksOf(next).map(({ tool_use_id }) => tool_use_id);
      if (next !== undefined && asked.some((id) => !answered.includes(id))) {
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
      }
    }
    return undefined;
  },
  writeReply(reply, request) {
    const usage = reply.usage === undefined ? { input: 10, output: 2 } : reply.usage;
    return {
      id: `msg_${request.number}`,
      type: 'message',
      role: 'assistant',
      model: reply.model ?? request.model,
      content: [
        ...(reply.thoughts === undefined
          ? []
          : [{ type: 'thinking', thinking: reply.thoughts, signature: 's' }]),
        ...(reply.text === undefined || reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
        ...(reply.toolCalls ?? []).map((call, index) => ({
          type: 'tool_use',
          id: call.id ?? `toolu_${request.number}_${index}`,
          name: call.name,
          input: call.arguments,
        })),
      ],
      stop_reason: STOP[reply.finish ?? (reply.toolCalls ? 'tool_calls' : 'stop')],
      stop_sequence: null,
      ...(usage && {
        usage: {
          input_tokens: usage.input,
          output_tokens: usage.output,
          ...(usage.cached !== undefined && {
            cache_read_input_tokens: usage.cached,
            cache_creation_input_tokens: null,
          }),
        },
      }),
    };
  },
  writeError({ status, message, code }) {
    const type = code ?? TYPES[status] ?? 'api_error';
    return {
      type: 'error',
      error: { type, message: message ?? `fake error ${status}` },
      request_id: 'req_fake',
    };
  },
};
