import { readFile } from 'node:fs/promises';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import type { AgentContext, AgentLanguageModel } from 'reprise';
import { modelOf } from './model.js';

/** The fields of `agent` in the config that this agent reads. */
interface ShopAgentConfig {
  system_prompt: string | null;
}

/** Answers questions on prices with a tool that reads them from files: the loop is the AI SDK's. */
export default class ShopAgent {
  private readonly languageModel: AgentLanguageModel;
  private readonly config: ShopAgentConfig;

  constructor({ config, languageModel }: AgentContext<ShopAgentConfig>) {
    this.languageModel = languageModel;
    this.config = config;
  }

  async act(observation: string): Promise<string> {
    const priceOf = tool({
      description: 'Looks up the price of an article in cents.',
      inputSchema: jsonSchema<{ kind: string; article: string }>({
        type: 'object',
        properties: { kind: { type: 'string', enum: ['fruit', 'tools'] }, article: { type: 'string' } },
        required: ['kind', 'article'],
      }),
      execute: async ({ kind, article }) => {
        const prices = JSON.parse(await readFile(new URL(`./prices/${kind}.json`, import.meta.url), 'utf8'));
        return { article, cents: prices[article] ?? null };
      },
    });
    const { text } = await generateText({
      model: modelOf(this.languageModel),
      system: this.config.system_prompt ?? 'Answer with a number of cents alone.',
      prompt: observation,
      tools: { priceOf },
      stopWhen: stepCountIs(5),
      // A failed call is waited for, or asked again, by the experiment.
      maxRetries: 0,
    });
    return text;
  }
}
