import type { Attempt } from '../../../activities/attempt.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import type { CalledModel, ModelCalls } from '../../../activities/model-calls.js';
import { held } from '../../../activities/patiently.js';
import type {
  CallIdentity,
  CallRecord,
  ChatMessage,
  ToolDefinition,
} from '../../../contracts/language-model.js';
import type { AgentEvalContext } from './agent-eval-context.js';

/** What a model is to be asked. */
export interface Said {
  messages: ChatMessage[];
  tools?: ToolDefinition[];
}

/**
 * Asks the models of a rollout. A reply is kept before anybody hears of it, and the first one that is kept at a place is
 * the only one: what came after it was said to it.
 */
export class RolloutCalls {
  constructor(
    private readonly models: ModelCalls,
    private readonly dependencies: WorkerDependencies,
  ) {}

  /** @param said is asked for where the place has no reply yet. */
  async ask(
    context: AgentEvalContext,
    model: CalledModel,
    call: CallIdentity,
    said: () => Promise<Said>,
    attempt: Attempt,
  ): Promise<CallRecord> {
    const stored = await context.calls.at(call);
    if (stored !== null) return (await this.models.found(model, stored, attempt)).record;
    const prepared = this.models.prepare(model, call, await said());
    return this.models.askAndKeep(model, prepared, attempt, (call) => context.calls.keep(call));
  }

  /** Stores what was said without a model; answers what is at its place then. */
  async keep(context: AgentEvalContext, record: CallRecord): Promise<CallRecord> {
    const kept = await held(() => context.calls.keep({ record, answer: null }), {
      log: context.log('model'),
      dependencies: this.dependencies,
      what: 'store a reply',
    });
    return kept.record;
  }
}
