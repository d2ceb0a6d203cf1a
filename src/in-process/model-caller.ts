import { randomUUID } from 'node:crypto';
import { callKeyOf, idempotencyKeyOf, identityHash, promptKeyOf } from '../activities/call-key.js';
import { recordOf, requestOf } from '../activities/call-record.js';
import { modelNameOf } from '../config/model-name.js';
import type { RunConfig } from '../config/schema.js';
import type { AgentRequest } from '../contracts/agent.js';
import type {
  CallIdentity,
  CallRecord,
  GenerateReply,
  GenerateRequest,
  LanguageModel,
  Usage,
} from '../contracts/language-model.js';
import type { Unkept } from '../contracts/step-cost.js';
import { AdaptiveLimit, outcomeOf } from '../language-models/adaptive-limit.js';
import { LanguageModelError } from '../language-models/errors.js';
import { FirstContact } from '../language-models/first-contact.js';
import { Pace } from '../language-models/pace.js';
import { costOf, type PriceTable } from '../language-models/prices.js';
import { unkeptOf } from '../language-models/usage.js';
import { type Tries, untilAnswered } from './until-answered.js';

/** Hears of the requests of a call. */
export interface Requests {
  /** One has no reply; null: it was never sent. */
  failed(unkept: Unkept | null): void;
  /** Another one is about to be sent. @throws where it may not. */
  again(): Promise<void>;
}

/** Makes a run's LM calls: rate, adaptive limit, retries and records, without an activity around them. */
export class ModelCaller {
  /** Answered calls of episodes that are not recorded yet, by the hash of their identity. */
  private readonly open = new Map<string, CallRecord>();
  private readonly replies = new Map<string, GenerateReply>();
  private readonly limit: AdaptiveLimit;
  private readonly pace: Pace;
  private readonly modelName: string;
  private readonly contact: FirstContact;
  /** Tells this run's requests from those of another one. */
  private readonly run = randomUUID();

  constructor(
    private readonly lm: RunConfig['lm'],
    private readonly model: LanguageModel,
    concurrency: number,
    private readonly prices: PriceTable,
  ) {
    this.limit = new AdaptiveLimit({ maximum: concurrency });
    this.pace = new Pace(lm.requests_per_second);
    this.modelName = modelNameOf(lm);
    this.contact = new FirstContact({
      modelName: this.modelName,
      wasMade: async () => false,
      made: async () => undefined,
    });
  }

  /**
   * @param requests hears of every request; see {@link Requests}.
   * @throws CallFailedError where the call failed for good, FatalRunError where every other call would fail as well.
   */
  async call(call: CallIdentity, agentRequest: AgentRequest, requests: Requests): Promise<CallRecord> {
    const { model, cache } = this.lm;
    const request = requestOf(this.lm, call, agentRequest);
    const key = callKeyOf(this.modelName, request);
    const promptKey = cache ? promptKeyOf(this.modelName, request) : '';
    const cached = this.replies.get(promptKey);
    const { reply, latency, failures } =
      cached === undefined
        ? await this.askUntilAnswered(request, key, requests)
        : { reply: cached, latency: 0, failures: 0 };
    if (cache) this.replies.set(promptKey, reply);
    const record = recordOf(request, {
      key,
      reply,
      model,
      cost_usd: this.costOf(reply.usage),
      latency_ms: latency,
      failures,
      cutOff: { crashes: 0, sent: 0 },
      cached: cached !== undefined,
    });
    this.open.set(identityHash(call), record);
    return record;
  }

  /** Hands over the record of a call whose episode is recorded; undefined where it was never answered. */
  take(call: CallIdentity): CallRecord | undefined {
    const name = identityHash(call);
    const record = this.open.get(name);
    this.open.delete(name);
    return record;
  }

  /** Calls that belong to no finished episode: paid for all the same. In the order in which a durable run lists them. */
  loose(): CallRecord[] {
    return [...this.open].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, record]) => record);
  }

  costOf(usage: Usage | undefined): number | null {
    const { provider, model, base_url } = this.lm;
    return costOf(provider, model, usage, { baseUrl: base_url, table: this.prices });
  }

  private async askUntilAnswered(request: GenerateRequest, key: string, { failed, again }: Requests) {
    const tries: Tries = {
      failed: (error) => {
        failed(error instanceof LanguageModelError ? unkeptOf(this, request, error) : null);
      },
      again,
    };
    const { value, failures } = await untilAnswered(
      this.lm.max_attempts,
      () => this.ask(request, key),
      tries,
    );
    return { ...value, failures };
  }

  private async ask(
    request: GenerateRequest,
    key: string,
  ): Promise<{ reply: GenerateReply; latency: number }> {
    const signal = this.contact.within();
    await this.pace.wait(signal);
    const release = await this.limit.acquire(signal);
    const sent = performance.now();
    try {
      const reply = await this.model.generate(request, {
        idempotencyKey: idempotencyKeyOf(this.run, key),
      });
      this.contact.answered();
      release('success');
      return { reply, latency: Math.round(performance.now() - sent) };
    } catch (error) {
      release(outcomeOf(error));
      throw (error instanceof LanguageModelError ? await this.contact.failed(error, sent) : null) ?? error;
    }
  }
}
