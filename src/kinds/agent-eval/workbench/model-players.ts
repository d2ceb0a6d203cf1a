import { requestOf } from '../../../activities/call-record.js';
import type { LanguageModelConfig } from '../../../config/language-model-schema.js';
import type {
  CallIdentity,
  ChatMessage,
  GenerateReply,
  LanguageModel,
  ToolDefinition,
} from '../../../contracts/language-model.js';
import { LanguageModelError } from '../../../language-models/errors.js';
import type { UserFault } from '../contracts.js';
import { USER_ATTEMPTS } from '../rollouts/rollout.js';
import { simulatedUserPrompt } from '../rollouts/simulated-user.js';
import { type Thoughts, withThoughts } from '../rollouts/thoughts.js';
import { FAULT_SENTENCES, userFault } from '../rollouts/user-faults.js';
import type { Terminal } from './person.js';
import { LeftError, type Spoken } from './play-row.js';

/** A model that plays a part, and the terminal that shows its failures. */
export interface ModelPlayer {
  model: LanguageModel;
  lm: LanguageModelConfig;
  row: string;
  terminal: Terminal;
}

/** Requests a reply. After a failure that may pass, the person can try again, without losing the conversation. */
async function ask(
  { model, lm, row, terminal }: ModelPlayer,
  asked: { messages: ChatMessage[]; tools?: ToolDefinition[] },
  { purpose, ordinal }: Pick<CallIdentity, 'purpose' | 'ordinal'>,
): Promise<GenerateReply> {
  for (;;) {
    try {
      const call = { sample_id: row, trial: 0, purpose, ordinal };
      return await model.generate(requestOf(lm, call, asked));
    } catch (error) {
      if (!(error instanceof LanguageModelError) || !error.retryable) throw error;
      terminal.say(error.message);
      if ((await terminal.ask('Enter tries again. ')) === null) throw new LeftError();
    }
  }
}

/** Creates an agent that a model plays. */
export function modelAsAgent(player: ModelPlayer, tools: ToolDefinition[]) {
  const thoughts: Thoughts[] = [];
  return async (messages: readonly ChatMessage[], reply: number): Promise<Spoken> => {
    const asked = { messages: withThoughts(messages, thoughts), tools };
    const said = await ask(player, asked, { purpose: 'agent', ordinal: reply });
    const { reasoning = '', as_given } = said;
    thoughts[reply] = { reasoning, as_given };
    return { text: said.text, tool_calls: said.tool_calls ?? [] };
  };
}

/** Creates a user that a model plays, as in an evaluation: a faulty message is requested again. */
export function modelAsUser(player: ModelPlayer, part: string, stopToken: string) {
  return async (
    messages: readonly ChatMessage[],
    said: number,
    faults: readonly UserFault[],
  ): Promise<string | { fault: UserFault }> => {
    const sentences = faults.map((fault) => FAULT_SENTENCES[fault]);
    const prompt = simulatedUserPrompt(part, messages, { stopToken, faults: sentences });
    const ordinal = said * USER_ATTEMPTS + faults.length;
    const reply = await ask(player, { messages: prompt }, { purpose: 'user', ordinal });
    const agentHasReplied = messages.some(({ role }) => role === 'assistant');
    const fault = userFault(reply, { part, messages, agentHasReplied, stopToken });
    if (fault === null) return reply.text;
    player.terminal.say(`(the simulated user did not play its part: ${FAULT_SENTENCES[fault]})`);
    return { fault };
  };
}
