import { Attempt } from '../../../activities/attempt.js';
import type { ChatMessage } from '../../../contracts/language-model.js';
import { cutOffText, emptyReplyText, isCutOff, isMissing } from '../../../replies/reply-faults.js';
import { fillInDates } from '../bundles/placeholders.js';
import type { AgentTurn, AskingStep, RolloutStep } from '../contracts.js';
import type { AgentEvalContext, AgentEvalContexts } from './agent-eval-context.js';
import type { RolloutCalls, Said } from './rollout-calls.js';
import { ROLLOUT_ERRORS, rolloutError } from './rollout-failures.js';
import { agentCall } from './rollout-names.js';

/** Creates the activity that requests the agent's next reply. A refused prompt or an empty reply ends the rollout. */
export function createAgentTurn(contexts: AgentEvalContexts, calls: RolloutCalls) {
  async function saidTo(context: AgentEvalContext, { place, ...name }: RolloutStep): Promise<Said> {
    const rollout = await context.rollout(name);
    const { stored } = rollout;
    const { messages } = await context.conversations.at(rollout, place);
    const { system_prompt } = context.config.agent;
    const instructions: ChatMessage[] =
      system_prompt === null ? [] : [{ role: 'system', content: fillInDates(system_prompt, stored.row.now) }];
    return { messages: [...instructions, ...messages], tools: await context.code.tools(stored) };
  }

  async function take(input: AskingStep, attempt: Attempt): Promise<AgentTurn> {
    const context = await contexts.get(input.run);
    const call = agentCall(input, input.place.agent_turns);
    const record = await calls.ask(context, context.agent, call, () => saidTo(context, input), attempt);
    const cost = attempt.costOf(record);
    const asked = record.tool_calls?.length ?? 0;
    const tool_calls = Math.min(asked, context.config.agent.max_tool_calls_per_reply);
    const saysNothing = tool_calls === 0 && record.text.trim() === '';
    if (isCutOff(record) && context.config.models.agent.on_cut_off === 'error') {
      throw rolloutError(ROLLOUT_ERRORS.cutOff, cutOffText(record, 'models.agent'), cost);
    }
    if (saysNothing && isMissing(record))
      throw rolloutError(ROLLOUT_ERRORS.emptyReply, emptyReplyText(record), cost);
    const refused = asked > tool_calls ? { tool_calls_refused: asked - tool_calls } : {};
    return { tool_calls, ...refused, ...(saysNothing ? { cut_off: true } : {}), ...cost };
  }

  return (input: AskingStep): Promise<AgentTurn> =>
    Attempt.run((attempt) => take(input, attempt), input.before);
}
