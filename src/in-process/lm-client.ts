import { setTimeout as sleep } from 'node:timers/promises';
import { requestOf } from '../activities/call-record.js';
import { pauseAfter } from '../activities/pause-after.js';
import { InvalidInputError } from '../config/errors.js';
import { type LanguageModelConfig, languageModelSchema } from '../config/language-model-schema.js';
import { modelFiles } from '../config/model-files.js';
import { namedModel } from '../config/named-model.js';
import { parseSection } from '../config/parse-section.js';
import type { AgentLanguageModel, AgentRequest } from '../contracts/agent.js';
import type {
  GenerateOptions,
  GenerateReply,
  GenerateRequest,
  LanguageModel,
  Usage,
} from '../contracts/language-model.js';
import { createLanguageModel, missingCredentials } from '../language-models/create.js';
import { LanguageModelError } from '../language-models/errors.js';
import { CallPacer } from '../language-models/pace.js';
import { priceTable } from '../language-models/price-table.js';
import { costOf } from '../language-models/prices.js';
import { EmptyReplyError, emptyReplyText, isMissing } from '../replies/reply-faults.js';
import { addCosts } from '../runtime/add-costs.js';
import { addUsage } from '../runtime/beside.js';

/** Config of a model as its author writes it: the section `lm` of a config, or `provider/model`. */
export type LMConfig = string | Parameters<typeof languageModelSchema.parse>[0];

export interface LmClientOptions {
  /** Environment variables with keys and addresses; `process.env` by default. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Called with sentences for people, such as about a parameter that cannot be sent to the model as configured. */
  notify?: (message: string) => void;
}

/** Amounts spent by a client so far. */
export interface LmSpent {
  lm_calls: number;
  usage: Usage;
  /** US dollars; null if the price of a call is unknown. */
  cost_usd: number | null;
}

/** @throws InvalidInputError that names the field */
function configOf(given: LMConfig): LanguageModelConfig {
  const config = parseSection(
    'lm',
    languageModelSchema,
    typeof given === 'string' ? namedModel(given) : given,
  );
  modelFiles(config, 'lm', process.cwd());
  return config;
}

/**
 * Client of a language model of any provider, for objects that are composed by hand. A failed request is repeated as in
 * a run: up to `max_attempts`, with growing pauses. It serves an agent, and `runInProcess`, which retries by itself.
 */
export class LmClient implements LanguageModel, AgentLanguageModel {
  readonly config: LanguageModelConfig;
  private readonly environment: Readonly<Record<string, string | undefined>>;
  private readonly notify: (message: string) => void;
  private readonly pace: CallPacer;
  private readonly total: LmSpent = {
    lm_calls: 0,
    usage: { input_tokens: 0, output_tokens: 0 },
    cost_usd: 0,
  };
  private model: Promise<LanguageModel> | undefined;

  /** @throws InvalidInputError if a field is wrong or the key is missing. */
  constructor(
    config: LMConfig,
    { environment = process.env, notify = () => undefined }: LmClientOptions = {},
  ) {
    this.config = configOf(config);
    this.environment = environment;
    this.notify = notify;
    this.pace = new CallPacer(this.config.requests_per_second);
    const missing = missingCredentials(this.config, environment);
    if (missing !== null) throw new InvalidInputError(`lm: ${missing}`, 'lm');
  }

  /** Amounts spent so far, by answered requests. */
  get spent(): LmSpent {
    return { ...this.total, usage: { ...this.total.usage } };
  }

  /**
   * Returns the model's text for a prompt.
   * @throws LanguageModelError if the model does not answer; EmptyReplyError for a reply without a text.
   */
  async call(systemPrompt: string, userPrompt: string): Promise<string> {
    const reply = await this.generate({
      purpose: 'act',
      messages: [
        { role: 'system', content: systemPrompt },
        { role: 'user', content: userPrompt },
      ],
    });
    if (isMissing(reply)) throw new EmptyReplyError(emptyReplyText(reply));
    return reply.text;
  }

  /** @throws LanguageModelError if the model does not answer. */
  async generate(
    request: AgentRequest | GenerateRequest,
    options: GenerateOptions = {},
  ): Promise<GenerateReply> {
    const { max_attempts } = this.config;
    const call =
      'call' in request
        ? request.call
        : { sample_id: '', trial: 0, purpose: request.purpose, ordinal: this.total.lm_calls };
    const whole = requestOf(this.config, call, request);
    for (let failures = 0; ; ) {
      await this.pace.wait(options.signal);
      try {
        this.model ??= this.created();
        const reply = await (await this.model).generate(whole, options);
        this.pay(reply);
        return reply;
      } catch (error) {
        failures += 1;
        const isFinal =
          !(error instanceof LanguageModelError) || !error.retryable || failures >= max_attempts;
        if (isFinal || options.signal?.aborted === true) throw error;
        await sleep(pauseAfter(failures, error.retryAfterMs), undefined, { signal: options.signal });
      }
    }
  }

  private async created(): Promise<LanguageModel> {
    const { environment, notify } = this;
    return (await createLanguageModel(this.config, { environment, notify })).model;
  }

  private pay({ usage, cost_usd }: GenerateReply): void {
    const { provider, model, base_url } = this.config;
    const table = priceTable(this.environment);
    const cost = cost_usd ?? costOf(provider, model, usage, { baseUrl: base_url, table });
    this.total.lm_calls += 1;
    if (usage !== undefined) this.total.usage = addUsage(this.total.usage, usage);
    this.total.cost_usd = addCosts(this.total.cost_usd, cost);
  }
}

/**
 * Returns the client of a model, such as `getLmClient('gemini/gemini-2.5-flash')`.
 * @throws InvalidInputError if a field is wrong or the key is missing.
 */
export function getLmClient(config: LMConfig, options: LmClientOptions = {}): LmClient {
  return new LmClient(config, options);
}
