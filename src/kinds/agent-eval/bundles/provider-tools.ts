import type { JsonObject } from '../../../contracts/json.js';
import type { ToolDefinition } from '../../../contracts/language-model.js';

export interface OpenAITool {
  type: 'function';
  function: { name: string; description?: string; parameters: JsonObject };
}

export interface GeminiTool {
  functionDeclarations: { name: string; description?: string; parametersJsonSchema: JsonObject }[];
}

export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: JsonObject & { type: 'object' };
}

export function openAITools(tools: readonly ToolDefinition[]): OpenAITool[] {
  return tools.map((tool) => ({ type: 'function', function: { ...tool } }));
}

/** Returns one entry that declares every function, or none without tools, because Gemini refuses an empty one. */
export function geminiTools(tools: readonly ToolDefinition[]): GeminiTool[] {
  if (tools.length === 0) return [];
  const functionDeclarations = tools.map(({ parameters, ...tool }) => ({
    ...tool,
    parametersJsonSchema: parameters,
  }));
  return [{ functionDeclarations }];
}

export function anthropicTools(tools: readonly ToolDefinition[]): AnthropicTool[] {
  return tools.map(({ parameters, ...tool }) => ({
    ...tool,
    input_schema: { ...parameters, type: 'object' },
  }));
}
