import { Attempt } from '../../../activities/attempt.js';
import type { CallIdentity, ChatMessage } from '../../../contracts/language-model.js';
import { missingFile } from '../../../storage/stored-file.js';
import type { RunDraftInput, ScaffolderTurn, ScaffolderTurnInput, ScaffoldJob } from '../contracts.js';
import { draftReport, type TakenTurn, turnMessages } from '../evolution/draft-prompts.js';
import { DRAFT_TOOLS, draftAction } from '../evolution/draft-tools.js';
import { draftName } from '../evolution/iteration-ports.js';
import type { ScaffoldFiles } from '../evolution/types.js';
import type { EvolveContext, EvolveContexts } from './evolve-context.js';
import type { ScaffoldChecks } from './scaffold-checks.js';
import { refusedPrompt, type ScaffolderCalls } from './scaffolder-calls.js';
import { scaffolderPrompt, shownRun } from './scaffolder-prompt.js';

type NamedTurn = Pick<RunDraftInput, 'parent' | 'attempt' | 'turn' | 'max_turns'> & { id: string };

/** Identifies the call of a turn; turns of a scaffold are counted through its tries. */
function callOfTurn({ id, parent, attempt, turn, max_turns }: NamedTurn): CallIdentity {
  const ordinal = attempt * max_turns + turn;
  return { sample_id: id, trial: 0, purpose: parent === null ? 'generate' : 'evolve', ordinal };
}

export function draftJob({
  scaffold,
  iteration,
  attempt,
  turn,
  example,
}: Pick<RunDraftInput, 'scaffold' | 'iteration' | 'attempt' | 'turn' | 'example'>): ScaffoldJob {
  return { scaffold, iteration, type: 'train', example, draft: draftName({ attempt, turn }) };
}

/** Returns the files of a turn's draft. @throws where the turn is not stored any more, or has no usable files. */
export async function draftOf(context: EvolveContext, turn: NamedTurn): Promise<ScaffoldFiles> {
  const call = await context.calls.at(callOfTurn(turn));
  const action = call === null ? null : draftAction(call.record);
  if (action !== null && action.kind !== 'refused') return action.files;
  throw missingFile(context.store, `draft ${draftName(turn)} of scaffold ${turn.id}`, null);
}

/** Returns the earlier turns with their answers. */
async function takenTurns(context: EvolveContext, input: ScaffolderTurnInput): Promise<TakenTurn[]> {
  const { domain } = context;
  return Promise.all(
    input.told.map(async (told, turn) => {
      const call = await context.calls.at(callOfTurn({ ...input, turn }));
      if (call === null) {
        throw missingFile(context.store, `turn ${turn + 1} of scaffold ${input.id}`, null);
      }
      const jobs = input.draft_examples.map((example) =>
        draftJob({ ...input, scaffold: input.id, turn, example }),
      );
      const report = async () =>
        draftReport(
          await Promise.all(jobs.map((job) => shownRun(context, job))),
          domain.expectedOutput.bind(domain),
        );
      return { reply: call.record, told: told ?? (await report()) };
    }),
  );
}

/** Returns the prompt of a try; after failed tries it has the fault of the last one. */
async function promptOf(context: EvolveContext, input: ScaffolderTurnInput): Promise<ChatMessage[]> {
  const { max_turns, draft_examples, faults } = input;
  const agent = { max_turns, draft_examples: draft_examples.length };
  const prompt = await scaffolderPrompt(context, input, agent);
  const fault = faults.at(-1);
  if (fault === undefined) return prompt;
  const [last] = prompt.slice(-1);
  const note = `## The try before this one\nIt came to nothing: ${fault}`;
  return last === undefined
    ? prompt
    : [...prompt.slice(0, -1), { ...last, content: `${last.content}\n\n${note}` }];
}

/** Creates the activity that takes one turn of an agent. A submitted scaffold is written to its place. */
export function createScaffolderTurn(
  contexts: EvolveContexts,
  { calls, checks }: { calls: ScaffolderCalls; checks: ScaffoldChecks },
) {
  async function take(input: ScaffolderTurnInput, attempt: Attempt): Promise<ScaffolderTurn> {
    const context = await contexts.get(input.run);
    const prompt = await promptOf(context, input);
    const messages = turnMessages(prompt, await takenTurns(context, input), input.max_turns);
    const record = await calls.ask(context, callOfTurn(input), { messages, tools: DRAFT_TOOLS }, attempt);
    const cost = attempt.costOf(record);
    const isLast = input.turn === input.max_turns - 1;
    const refused = ({ fault, duplicate_of }: { fault: string; duplicate_of?: string }): ScaffolderTurn => {
      const { id: scaffold, attempt, turn } = input;
      context.log('iteration').warn({ scaffold, attempt, turn, fault }, 'no usable scaffold');
      if (!isLast) return { kind: 'refused', fault, ...cost };
      return { kind: 'failed', fault, ...(duplicate_of === undefined ? {} : { duplicate_of }), ...cost };
    };
    const action = draftAction(record);
    if (action.kind === 'refused') return refused(action);
    // In the last turn a draft counts as submitted: no turn is left.
    if (action.kind === 'run' && !isLast) return { kind: 'draft', ...cost };
    const accepted = await checks.accept(context, input, action.files, record.at);
    if (!accepted.ok) return refused(accepted);
    const { fingerprint, traits } = accepted;
    return { kind: 'submitted', fingerprint, traits, warnings: action.warnings, ...cost };
  }

  return async (input: ScaffolderTurnInput): Promise<ScaffolderTurn> => {
    try {
      return await Attempt.run((attempt) => take(input, attempt), input.before);
    } catch (error) {
      const refused = refusedPrompt(error);
      if (refused === null) throw error;
      // The provider would refuse the same conversation again, whatever turns are left.
      return { kind: 'failed', ...refused };
    }
  };
}
