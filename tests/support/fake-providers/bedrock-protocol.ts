import type { Protocol } from './behaviours.js';

const PATH = /^\/model\/([^/]+)\/converse$/;

const STOP = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
} as const;

const TYPES: Record<number, string> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

interface Block {
  text?: string;
  toolUse?: { toolUseId: string };
  toolResult?: { toolUseId: string };
}
interface Turn {
  role: string;
  content?: Block[];
}

/** `POST /model/{model}/converse` of Amazon Bedrock, strict about turns, blank texts and tool results. */
export const bedrockProtocol: Protocol = {
  basePath: '',
  accepts: (path) => PATH.test(path),
  read(path, body) {
    const turns: Turn[] = body.messages ?? [];
    const said = turns.filter(({ role, content }) => role === 'user' && content?.some(({ text }) => text));
    const texts = said.at(-1)?.content?.map(({ text }) => text ?? '') ?? [];
    return { model: decodeURIComponent(PATH.exec(path)?.[1] ?? ''), lastUserText: texts.join('') };
  },
  refuse({ body }) {
    const turns: Turn[] = body.messages ?? [];
    if (turns[0]?.role !== 'user') return 'A conversation must start with a user message.';
    for (const [index, { role, content = [] }] of turns.entries()) {
      if (content.length === 0)
        return `The content field in the Message object at messages.${index} is empty.`;
      if (turns[index - 1]?.role === role) return 'A conversation must alternate between user and assistant.';
      if (content.some(({ text }) => text?.trim() === ''))
        return `The text field in the ContentBlock object at messages.${index}.content.0 is blank.`;
      const holdsTools = content.some(({ toolUse, toolResult }) => toolUse ?? toolResult);
      if (holdsTools && body.toolConfig === undefined)
        return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
      const asked = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse.toolUseId]));
      const answered = turns[index + 1]?.content?.map(({ toolResult }) => toolResult?.toolUseId) ?? [];
      if (turns[index + 1] !== undefined && asked.some((id) => !answered.includes(id)))
        return `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${asked}`;
    }
    return undefined;
  },
  writeReply(reply, request) {
    const usage = reply.usage === undefined ? { input: 10, output: 2 } : reply.usage;
    return {
      output: {
        message: {
          role: 'assistant',
          content: [
            ...(reply.thoughts === undefined
              ? []
              : [{ reasoningContent: { reasoningText: { text: reply.thoughts, signature: 's' } } }]),
            ...(reply.text === undefined || reply.text === '' ? [] : [{ text: reply.text }]),
            ...(reply.toolCalls ?? []).map((call, index) => ({
              toolUse: {
                toolUseId: call.id ?? `tooluse_${request.number}_${index}`,
                name: call.name,
                input: call.arguments,
              },
            })),
          ],
        },
      },
      stopReason: STOP[reply.finish ?? (reply.toolCalls ? 'tool_calls' : 'stop')],
      metrics: { latencyMs: 5 },
      ...(usage && {
        usage: {
          inputTokens: usage.input,
          outputTokens: usage.output,
          totalTokens: usage.input + usage.output,
          ...(usage.cached !== undefined && { cacheReadInputTokens: usage.cached }),
        },
      }),
    };
  },
  writeError({ status, message, code }) {
    return { message: message ?? `fake error ${status}`, __type: code ?? TYPES[status] ?? 'Unknown' };
  },
};
