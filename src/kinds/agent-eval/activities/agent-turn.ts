import { Attempt } from '../../../activities/attempt.js';
import type { ChatMessage } from '../../../contracts/language-model.js';
import { cutOffText, emptyReplyText, isCutOff, isMissing, isOwnEnd } from '../../../replies/reply-faults.js';
import { fillInDates } from '../bundles/placeholders.js';
import type { AgentTurn, AskingStep, RolloutPlace, RolloutStep } from '../contracts.js';
import { rolloutRules } from '../rollouts/rules.js';
import { withThoughts } from '../rollouts/thoughts.js';
import type { AgentEvalContext, AgentEvalContexts, OpenRollout } from './agent-eval-context.js';
import type { RolloutCalls, Said } from './rollout-calls.js';
import { ROLLOUT_ERRORS, rolloutError } from './rollout-failures.js';
import { agentCall } from './rollout-names.js';

/** Reports whether nobody waits for the agent's next words: it has replied before, and no user is left or ever was. */
function isUnheard({ agent_turns, user_left }: RolloutPlace, { stored }: OpenRollout): boolean {
  return agent_turns > 0 && (user_left === true || !rolloutRules(stored.row).has_user);
}

/**
 * Creates the activity that requests the agent's next reply. A refused prompt ends the rollout with an error, and so
 * does an empty reply, unless the agent has only left out its last words.
 */
export function createAgentTurn(contexts: AgentEvalContexts, calls: RolloutCalls) {
  async function saidTo(context: AgentEvalContext, { place, ...name }: RolloutStep): Promise<Said> {
    const rollout = await context.rollout(name);
    const { stored } = rollout;
    const { messages, thoughts } = await context.conversations.at(rollout, place);
    const { system_prompt } = context.config.agent;
    const instructions: ChatMessage[] =
      system_prompt === null ? [] : [{ role: 'system', content: fillInDates(system_prompt, stored.row.now) }];
    const said = withThoughts(messages, thoughts);
    return { messages: [...instructions, ...said], tools: await context.code.tools(stored) };
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
    if (saysNothing && isMissing(record)) {
      const isEnd = isOwnEnd(record) && isUnheard(input.place, await context.rollout(input));
      if (!isEnd) throw rolloutError(ROLLOUT_ERRORS.emptyReply, emptyReplyText(record), cost);
      return { tool_calls, ...cost };
    }
    const refused = asked > tool_calls ? { tool_calls_refused: asked - tool_calls } : {};
    return { tool_calls, ...refused, ...(saysNothing ? { cut_off: true } : {}), ...cost };
  }

  return (input: AskingStep): Promise<AgentTurn> =>
    Attempt.run((attempt) => take(input, attempt), input.before);
}
