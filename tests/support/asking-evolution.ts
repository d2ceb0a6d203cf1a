import type { Workplace } from './workplace.js';

/** A scaffold that asks its model three times, as a scaffolder writes it; no two numbers give the same one. */
export function askingProgram(number: number): string {
  return `\`\`\`python file=scaffold.py
from llm_executor import execute_llm

NUMBER = ${number}

def process_input(text):
    a, b, c, d = text.split()
    first = execute_llm(f"What is {a} + {b}?")
    second = execute_llm(f"What is {c} + {d}?")
    return execute_llm(f"What is {first} + {second}?")
\`\`\`
`;
}

/** An evolution of such scaffolds on sums of four numbers, whose models are a fake provider's. */
export function askingEvolution(
  baseUrl: string,
  [scaffolder, executor]: readonly [scaffolder: string, executor: string],
  more: Record<string, unknown> = {},
): object {
  const lm = (model: string) => ({ model: `openai/${model}`, base_url: baseUrl });
  return {
    task_prompt: 'The input is four whole numbers. Return their sum.',
    domain: 'numeric',
    data: { train: 'asking-train.jsonl', valid: 'asking-valid.jsonl' },
    evolution: {
      num_iterations: 2,
      initial_scaffolds: 4,
      scaffolds_per_iter: 2,
      num_validation_examples: 3,
      concurrency: 4,
    },
    models: { scaffolder: lm(scaffolder), executor: lm(executor) },
    executor: { max_lm_calls_per_execution: 3 },
    timeout_sec: 60,
    sandbox: { type: 'process' },
    ...more,
  };
}

/** Writes the examples of an {@link askingEvolution}. */
export async function writeSumsToAsk(place: Workplace): Promise<void> {
  const example = (id: string, number: number) => ({ id, input: `${number} 2 3 4`, target: number + 9 });
  const lines = (examples: object[]) => examples.map((one) => `${JSON.stringify(one)}\n`).join('');
  const valid = [10, 20, 30].map((number) => example(`v${number}`, number));
  await place.write('asking-train.jsonl', lines([example('t', 1)]));
  await place.write('asking-valid.jsonl', lines(valid));
}
