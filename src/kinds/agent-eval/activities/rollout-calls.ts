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

/** Content of a request to a model. */
export interface Said {
  messages: ChatMessage[];
  tools?: ToolDefinition[];
}

/**
 * Calls of the models of a rollout. A reply is stored before it is returned, and only the first one stored at a place
 * counts, because all that follows refers to it.
 */
export class RolloutCalls {
  constructor(
    private readonly models: ModelCalls,
    private readonly dependencies: WorkerDependencies,
  ) {}

  /** @param said creates the request, if the place has no reply yet. */
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

  /** Stores a message that no model wrote. @returns the record that is stored at its place */
  async keep(context: AgentEvalContext, record: CallRecord): Promise<CallRecord> {
    const kept = await held(() => context.calls.keep({ record, answer: null }), {
      log: context.log('model'),
      dependencies: this.dependencies,
      what: 'store a reply',
    });
    return kept.record;
  }
}
