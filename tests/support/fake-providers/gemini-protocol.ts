import type { Protocol } from './behaviours.js';

const PATH =
  /^\/v1(?:beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/)?models\/([^/:]+):generateContent$/;

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' } as const;

interface Part {
  text?: string;
  functionCall?: unknown;
  functionResponse?: { name?: string };
  thoughtSignature?: string;
}
interface Content {
  role: string;
  parts?: Part[];
}

const CANONICAL: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** `POST /v1beta/models/{model}:generateContent` (and `/v1/`), and the same of a project of Vertex AI. */
export const geminiProtocol: Protocol = {
  basePath: '',
  accepts: (path) => PATH.test(path),
  read(path, body) {
    const contents: Content[] = body.contents ?? [];
    const said = contents.filter(({ role, parts }) => role === 'user' && parts?.some((part) => part.text));
    return {
      model: PATH.exec(path)?.[1] ?? '',
      lastUserText:
        said
          .at(-1)
          ?.parts?.map((part) => part.text ?? '')
          .join('') ?? '',
    };
  },
  refuse({ body, model }) {
    const contents: Content[] = body.contents ?? [];
    if (contents.length === 0) return 'contents is not specified';
    for (const [index, { role, parts }] of contents.entries()) {
      if (role !== 'user' && role !== 'model')
        return `contents[${index}].role: Please use a valid role: user, model.`;
      if (!parts?.length) return `contents[${index}].parts must not be empty.`;
      if (contents[index - 1]?.role === role)
        return 'Please ensure that multiturn requests alternate between user and model.';
      const first = parts.find((part) => part.functionCall !== undefined);
      if (first && !model.startsWith('gemini-2') && !first.thoughtSignature) {
        return 'Function call is missing a thought_signature in functionCall parts.';
      }
      if (parts.some((part) => part.functionResponse && !part.functionResponse.name)) {
        return 'function_response.name: [FIELD_INVALID]';
      }
    }
    return undefined;
  },
  writeReply(reply, request) {
    const parts = [
      ...(reply.thoughts === undefined ? [] : [{ text: reply.thoughts, thought: true }]),
      ...(reply.text === undefined || reply.text === '' ? [] : [{ text: reply.text }]),
      ...(reply.toolCalls ?? []).map((call, index) => ({
        functionCall: { ...(call.id && { id: call.id }), name: call.name, args: call.arguments },
        ...(index === 0 && { thoughtSignature: 'c2lnbmF0dXJl' }),
      })),
    ];
    const usage = reply.usage === undefined ? { input: 10, output: 2 } : reply.usage;
    return {
      candidates: [
        {
          index: 0,
          content: { role: 'model', ...(parts.length > 0 && { parts }) },
          finishReason: FINISH[reply.finish ?? 'stop'],
        },
      ],
      modelVersion: reply.model ?? request.model,
      responseId: `response-${request.number}`,
      ...(usage && {
        usageMetadata: {
          promptTokenCount: usage.input,
          candidatesTokenCount: usage.output,
          ...(usage.thoughts !== undefined && { thoughtsTokenCount: usage.thoughts }),
          totalTokenCount: usage.input + usage.output + (usage.thoughts ?? 0),
        },
      }),
    };
  },
  writeError({ status, message, code, retryDelay }) {
    const details = retryDelay && [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
    const said = {
      message: message ?? `fake error ${status}`,
      status: code ?? CANONICAL[status] ?? 'UNKNOWN',
    };
    return { error: { code: status, ...said, ...(details && { details }) } };
  },
};
