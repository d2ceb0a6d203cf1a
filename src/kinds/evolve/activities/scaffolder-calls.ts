import type { Attempt } from '../../../activities/attempt.js';
import { costOfFailed, refusalOf } from '../../../activities/call-failures.js';
import type { ModelCalls } from '../../../activities/model-calls.js';
import type {
  CallIdentity,
  CallRecord,
  ChatMessage,
  ToolDefinition,
} from '../../../contracts/language-model.js';
import type { StepCost } from '../../../contracts/step-cost.js';
import type { EvolveContext } from './evolve-context.js';
import { LONGEST_FAULT } from './scaffold-checks.js';

/** Calls an experiment's scaffolder. A reply is stored before it is used, and a stored one is not requested again. */
export class ScaffolderCalls {
  constructor(private readonly models: ModelCalls) {}

  async ask(
    context: EvolveContext,
    call: CallIdentity,
    said: { messages: ChatMessage[]; tools?: ToolDefinition[] },
    attempt: Attempt,
  ): Promise<CallRecord> {
    const asked = this.models.prepare(context.scaffolder, call, said);
    const stored = await context.calls.find(asked.request.call, asked.key);
    if (stored !== null) return (await this.models.found(context.scaffolder, stored, attempt)).record;
    return this.models.askAndKeep(context.scaffolder, asked, attempt, (reply) => context.calls.save(reply));
  }
}

/** Returns the failed try where a provider refused its prompt: another scaffold's may pass. Null for other errors. */
export function refusedPrompt(error: unknown): ({ fault: string } & StepCost) | null {
  const refusal = refusalOf(error);
  return refusal === null ? null : { fault: refusal.slice(0, LONGEST_FAULT), ...costOfFailed(error) };
}
