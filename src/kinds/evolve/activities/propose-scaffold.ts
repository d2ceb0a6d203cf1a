import { Attempt } from '../../../activities/attempt.js';
import type { CallIdentity, CallRecord, ChatMessage } from '../../../contracts/language-model.js';
import { cutOffText, isCutOff } from '../../../replies/reply-faults.js';
import type { ProposedScaffold, ProposeScaffoldInput } from '../contracts.js';
import { parseScaffoldReply, retryMessages } from '../evolution/reply.js';
import type { EvolveContext, EvolveContexts } from './evolve-context.js';
import { LONGEST_FAULT, type ScaffoldChecks } from './scaffold-checks.js';
import { refusedPrompt, type ScaffolderCalls } from './scaffolder-calls.js';
import { scaffolderPrompt } from './scaffolder-prompt.js';

function callOf({
  id,
  parent,
  attempt,
}: Pick<ProposeScaffoldInput, 'id' | 'parent' | 'attempt'>): CallIdentity {
  return { sample_id: id, trial: 0, purpose: parent === null ? 'generate' : 'evolve', ordinal: attempt };
}

/** Adds failed tries to the prompt: each reply, and what was wrong with it. */
async function withFaults(
  context: EvolveContext,
  input: ProposeScaffoldInput,
  prompt: ChatMessage[],
): Promise<ChatMessage[]> {
  let messages = prompt;
  for (const [attempt, fault] of input.faults.entries()) {
    const call = await context.calls.at(callOf({ ...input, attempt }));
    if (call !== null) messages = retryMessages(messages, call.record.text, fault);
  }
  return messages;
}

/** Explains a cut-off reply, for the user as well: the config may have to change. */
function cutOff(record: CallRecord): string {
  return isCutOff(record) ? ` (${cutOffText(record, 'models.scaffolder')})` : '';
}

/** Creates the activity that requests one scaffold, and writes a usable one to its place. */
export function createProposeScaffold(
  contexts: EvolveContexts,
  { calls, checks }: { calls: ScaffolderCalls; checks: ScaffoldChecks },
) {
  async function propose(input: ProposeScaffoldInput, attempt: Attempt): Promise<ProposedScaffold> {
    const context = await contexts.get(input.run);
    const messages = await withFaults(context, input, await scaffolderPrompt(context, input));
    const record: CallRecord = await calls.ask(context, callOf(input), { messages }, attempt);
    const cost = attempt.costOf(record);
    const parsed = parseScaffoldReply(record.text, record.finish_reason === 'stop');
    const accepted = parsed.ok
      ? await checks.accept(context, input, parsed.files, record.at)
      : { ok: false as const, fault: `${parsed.message.slice(0, LONGEST_FAULT)}${cutOff(record)}` };
    if (!accepted.ok) {
      const { id: scaffold, attempt } = input;
      context.log('iteration').warn({ scaffold, attempt, fault: accepted.fault }, 'no usable scaffold');
      return { ...accepted, ...cost };
    }
    return { ...accepted, warnings: parsed.ok ? parsed.warnings : [], ...cost };
  }

  return async (input: ProposeScaffoldInput): Promise<ProposedScaffold> => {
    try {
      return await Attempt.run((attempt) => propose(input, attempt), input.before);
    } catch (error) {
      const refused = refusedPrompt(error);
      if (refused === null) throw error;
      return { ok: false, ...refused };
    }
  };
}
