import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider';
import type { AgentLanguageModel, ChatMessage } from 'reprise';

const FINISH_REASONS: Record<string, LanguageModelV3FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
};

function textOf(output: LanguageModelV3ToolResultOutput): string {
  if (output.type === 'execution-denied') return output.reason ?? 'denied';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}

/** Returns a message of the AI SDK as messages of Reprise: a `tool` message answers one call. */
function messagesOf(message: LanguageModelV3Message): ChatMessage[] {
  if (message.role === 'system') return [{ role: 'system', content: message.content }];
  if (message.role === 'tool') {
    return message.content.flatMap((part) =>
      part.type === 'tool-result'
        ? [{ role: 'tool', content: textOf(part.output), tool_call_id: part.toolCallId } as const]
        : [],
    );
  }
  const texts: string[] = [];
  const calls: NonNullable<ChatMessage['tool_calls']> = [];
  for (const part of message.content) {
    if (part.type === 'text') texts.push(part.text);
    if (part.type === 'tool-call') {
      calls.push({ id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(part.input) });
    }
  }
  const content = texts.join('\n');
  return [{ role: message.role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

/**
 * Returns the language model of an experiment as one of the AI SDK: each call that `generateText` makes is stored before
 * it is answered, counts in the limits and keeps the rate. It does not stream.
 */
export function modelOf(languageModel: AgentLanguageModel): LanguageModelV3 {
  async function doGenerate({ prompt, tools = [], responseFormat, ...asked }: LanguageModelV3CallOptions) {
    const parameters = {
      temperature: asked.temperature,
      top_p: asked.topP,
      top_k: asked.topK,
      max_output_tokens: asked.maxOutputTokens,
      stop: asked.stopSequences,
      seed: asked.seed,
      response_format: responseFormat?.type === 'json' ? responseFormat.schema : undefined,
    };
    const reply = await languageModel.generate({
      purpose: 'act',
      messages: prompt.flatMap(messagesOf),
      parameters: JSON.parse(JSON.stringify(parameters)),
      tools: tools.flatMap((tool) =>
        tool.type === 'function'
          ? [
              {
                name: tool.name,
                description: tool.description ?? '',
                parameters: JSON.parse(JSON.stringify(tool.inputSchema)),
              },
            ]
          : [],
      ),
    });
    const content: LanguageModelV3Content[] = reply.text === '' ? [] : [{ type: 'text', text: reply.text }];
    for (const { id, name, arguments: input } of reply.tool_calls ?? []) {
      content.push({ type: 'tool-call', toolCallId: id, toolName: name, input });
    }
    const { input_tokens, output_tokens } = reply.usage ?? {};
    const unified = FINISH_REASONS[reply.finish_reason] ?? 'other';
    return {
      content,
      finishReason: { unified, raw: reply.finish_reason },
      usage: {
        inputTokens: { total: input_tokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: output_tokens, text: undefined, reasoning: undefined },
      },
      warnings: [],
    };
  }
  return {
    specificationVersion: 'v3',
    provider: 'reprise',
    modelId: 'experiment',
    supportedUrls: {},
    doGenerate,
    doStream: () => Promise.reject(new Error('an experiment does not stream: use generateText')),
  };
}
