import type { ChatMessage } from '../../../contracts/language-model.js';
import { scoreText } from '../../../statistics/figure-text.js';
import type { SandboxPython } from '../installed-python.js';
import { RUN_DRAFT, SUBMIT } from './draft-tools.js';
import { type FeedbackBudget, type FeedbackRun, feedbackSection, judgementText } from './feedback.js';
import { clip, fenced, LOG_HEAD } from './prompt-text.js';
import { type DatasetExample, MAIN_FILE, type ScaffoldFiles, type ScaffoldRunData } from './types.js';

/**
 * Data of a scaffolder's prompt. Nothing else goes into a prompt, and none of it is validation or test data: examples
 * and runs are training ones, and the only scores are those of training runs.
 */
interface PromptBasics {
  /** Task of a scaffold, in the user's words. */
  task_prompt: string;
  /** Format that the scorer can read: {@link Domain.answerFormat}; empty where it is not described. */
  answer_format: string;
  /** `model` if a scaffold may call a language model. */
  executor: 'model' | 'none';
  /** Maximum seconds of one run of a scaffold. */
  timeout_sec: number;
  /** Returns a correct output for the prompt: {@link Domain.expectedOutput}. */
  expectedOutput: (example: DatasetExample) => string;
  /** Python that runs the scaffolds; null where it is unknown. */
  python: SandboxPython | null;
  /** Limits where drafts may be tried before one is submitted: see drafting.ts. */
  agent?: { max_turns: number; draft_examples: number };
}

export interface GenerationPrompt extends PromptBasics {
  /** Training examples. */
  examples: readonly DatasetExample[];
}

export interface EvolutionPrompt extends PromptBasics {
  /** The parent's run on the training example of this iteration. */
  run: ScaffoldRunData;
  /** Further runs of the parent on training examples, if the experiment makes some. */
  feedback?: { runs: readonly FeedbackRun[]; budget: FeedbackBudget };
}

/** Maximum characters of one part of a run; code is never cut. */
const LONGEST_INPUT = 20_000;
const LONGEST_OUTPUT = 10_000;
const LONGEST_LOG = 10_000;
const LONGEST_JUDGEMENT = 5000;

const ROLE =
  'You write scaffolds: small Python programs that solve one kind of task as well as possible on inputs that you have not seen.';

/** Returns the prompt for a scaffold from scratch. */
export function generationMessages(prompt: GenerationPrompt): ChatMessage[] {
  const shown = prompt.examples.map((example) => exampleText(example, prompt));
  const noun = shown.length === 1 ? 'example' : 'examples';
  const request = 'Write a scaffold for this task. It will be judged on inputs that are not shown here';
  return conversation([
    ...taskSections(prompt),
    shown.length === 0 ? '' : section(noun === 'example' ? 'Example' : 'Examples', shown.join('\n\n')),
    contract(prompt),
    section(
      'What to write',
      shown.length === 0 ? `${request}.` : `${request}, so do not fit it to the ${noun} above.`,
    ),
  ]);
}

/** Returns the prompt for a better version of a scaffold. */
export function evolutionMessages(prompt: EvolutionPrompt): ChatMessage[] {
  const { run, feedback } = prompt;
  const judgement = judgementText(run);
  return conversation([
    ...taskSections(prompt),
    contract(prompt),
    section('The scaffold so far', filesText(run.files)),
    section(
      'One of its runs',
      [
        exampleText(run.example, prompt),
        labelled('Actual output', clip(run.actual_output, LONGEST_OUTPUT)),
        ...(run.printed.trim() === '' ? [] : [labelled('Printed', clip(run.printed, LONGEST_LOG))]),
        labelled('Execution log', clip(run.execution_log, LONGEST_LOG, LOG_HEAD)),
        `Score: ${scoreText(run.score)}`,
        ...(judgement === '' ? [] : [labelled('The scorer says', clip(judgement, LONGEST_JUDGEMENT))]),
      ].join('\n\n'),
    ),
    feedback === undefined ? '' : feedbackSection(feedback.runs, prompt.expectedOutput, feedback.budget),
    section(
      'What to write',
      'Evolve the scaffold so that its score on inputs of this kind becomes as high as possible. Find out from the run ' +
        'what holds it back; repair it, or replace the approach where another promises more. It will be judged on ' +
        'other inputs, so do not fit it to the one above. Write every file in full, changed or not.',
    ),
  ]);
}

function taskSections({ task_prompt, answer_format }: PromptBasics): string[] {
  const format = answer_format.trim();
  return [section('Task', task_prompt.trim()), format === '' ? '' : section('What the scorer reads', format)];
}

/** Writes `Input` and `Expected output` of a training example. */
function exampleText(
  example: DatasetExample,
  { expectedOutput }: Pick<PromptBasics, 'expectedOutput'>,
): string {
  return [
    labelled('Input', clip(example.input, LONGEST_INPUT)),
    labelled('Expected output', clip(expectedOutput(example), LONGEST_OUTPUT)),
  ].join('\n\n');
}

function conversation(sections: string[]): ChatMessage[] {
  return [
    { role: 'system', content: ROLE },
    { role: 'user', content: sections.filter((one) => one !== '').join('\n\n') },
  ];
}

function contract({ executor, timeout_sec, agent, python }: PromptBasics): string {
  const model = [
    '- `from llm_executor import execute_llm, resources` gives it a language model.',
    '- `execute_llm(prompt, system_prompt=None)` sends one prompt and returns the reply as a string. It remembers nothing ' +
      'from call to call. Several threads may call it at once. It raises an exception when no call is left.',
    '- `resources()` returns a dict with what is left of this run: `seconds`, `calls` and `usd`; None stands for no limit.',
  ];
  const none = '- There is no language model to call: the program has to do the work itself.';
  return section(
    'Rules for a scaffold',
    [
      `- \`${MAIN_FILE}\` defines \`process_input(input_string) -> str\` at its top level. It is called once with an input, and ` +
        'what it returns is the output that is scored.',
      ...(executor === 'model' ? model : [none]),
      `- A run may take ${timeout_sec} seconds. An exception, or no answer by then, scores 0.`,
      `- ${pythonText(python)} There is no network, and no file of the host to read.`,
      '- What it prints, to standard output or to standard error, is no part of its output. It is shown to whoever ' +
        'improves it next: print what helps to see why an output came out wrong.',
      ...(agent === undefined ? HOW_TO_ANSWER : howToWork(agent)),
    ].join('\n'),
  );
}

/** Packages that install others. */
const INSTALLERS = ['pip', 'setuptools', 'wheel'];
/** Maximum characters of the list of packages. */
const LONGEST_LIST = 3000;

/** Describes the interpreter and its packages in a sentence. */
function pythonText(python: SandboxPython | null): string {
  const packages = Object.entries(python?.packages ?? {})
    .filter(([name]) => !INSTALLERS.includes(name))
    .map(([name, version]) => `${name} ${version}`);
  const version = python === null ? '3' : python.version;
  if (packages.length === 0) return `Python ${version} with its standard library only.`;
  let shown = packages.length;
  while (packages.slice(0, shown).join(', ').length > LONGEST_LIST) shown -= 1;
  const more = shown === packages.length ? '' : ` and ${packages.length - shown} more`;
  return `Python ${version} with its standard library and these packages: ${packages.slice(0, shown).join(', ')}${more}.`;
}

const HOW_TO_ANSWER = [
  `- Answer with \`${MAIN_FILE}\` in one fenced block that begins with \`\`\`python. Further files, if any, follow in blocks ` +
    'of their own that name them, as in ```python file=helpers.py.',
];

function howToWork({ max_turns, draft_examples }: { max_turns: number; draft_examples: number }): string[] {
  const examples = draft_examples === 1 ? 'a training example' : `${draft_examples} training examples`;
  return [
    `- You work in at most ${max_turns} turns, with one tool call in each. \`${RUN_DRAFT}\` runs a draft on ${examples} ` +
      `and shows you its outputs, errors and scores. \`${SUBMIT}\` hands in the scaffold and ends the work; nothing ` +
      'that was not submitted counts.',
    `- Both take every file in full: \`${MAIN_FILE}\`, and others if there are any.`,
  ];
}

function filesText(files: ScaffoldFiles): string {
  const others = Object.keys(files)
    .filter((path) => path !== MAIN_FILE)
    .sort();
  return [MAIN_FILE, ...others]
    .map((path) => fenced(files[path] ?? '', `${path.endsWith('.py') ? 'python ' : 'text '}file=${path}`))
    .join('\n\n');
}

function section(title: string, text: string): string {
  return `## ${title}\n${text}`;
}

/** Puts data into a block of its own, so that nothing in it can be read as a part of the prompt. */
function labelled(label: string, text: string): string {
  return `${label}:\n${text.trim() === '' ? '(empty)' : fenced(text)}`;
}
