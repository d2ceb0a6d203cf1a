import type { ChatMessage } from '../../../contracts/language-model.js';
import type { ProposeScaffoldInput, ScaffoldJob } from '../contracts.js';
import { executionLog } from '../evolution/execution-log.js';
import type { FeedbackRun } from '../evolution/feedback.js';
import { evolutionMessages, generationMessages } from '../evolution/prompts.js';
import type { EvolveContext } from './evolve-context.js';
import { readScaffold } from './scaffold-files.js';
import { hasOutput } from './scaffold-runs.js';

/** Reads a run on a training example for a scaffolder's prompt. */
export async function shownRun({ runs, examples }: EvolveContext, job: ScaffoldJob): Promise<FeedbackRun> {
  const { result, score, message, metrics } = await runs.get(job);
  return {
    example: await examples.get('train', job.example),
    execution_log: executionLog(result),
    printed: result.stdout,
    actual_output: result.output ?? '',
    score,
    message: hasOutput(result) ? message : '',
    ...(metrics === undefined ? {} : { metrics }),
  };
}

/** Returns the first prompt to a scaffolder. */
export async function scaffolderPrompt(
  context: EvolveContext,
  input: Pick<ProposeScaffoldInput, 'parent' | 'parent_made_in' | 'examples' | 'runs'>,
  agent?: { max_turns: number; draft_examples: number },
): Promise<ChatMessage[]> {
  const { config, domain, examples, store } = context;
  const basics = {
    task_prompt: config.task_prompt,
    answer_format: domain.answerFormat,
    executor: config.models.executor === null ? ('none' as const) : ('model' as const),
    timeout_sec: config.timeout_sec,
    python: await context.python(),
    expectedOutput: domain.expectedOutput.bind(domain),
    ...(agent === undefined ? {} : { agent }),
  };
  if (input.parent === null || input.parent_made_in === null) {
    const shown = await Promise.all(input.examples.map((id) => examples.get('train', id)));
    return generationMessages({ ...basics, examples: shown });
  }
  const place = { iteration: input.parent_made_in, generation: 'new' as const, id: input.parent };
  const files = await readScaffold(store, place);
  const [first, ...others] = await Promise.all(input.runs.map((job) => shownRun(context, job)));
  if (first === undefined) throw new Error(`scaffold ${input.parent} has no run to learn from`);
  const { feedback } = config.scaffolder;
  return evolutionMessages({
    ...basics,
    run: { ...first, files },
    ...(feedback === null
      ? {}
      : {
          feedback: {
            runs: others,
            budget: {
              failing_below: domain.perfect ?? Number.MAX_VALUE,
              max_examples: feedback.max_examples,
              max_characters: feedback.max_characters,
            },
          },
        }),
  });
}
