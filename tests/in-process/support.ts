import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { GenerateReply, GenerateRequest, LanguageModel } from '../../src/contracts/language-model.js';
import { type RunConfig, resolveConfig } from '../../src/in-process/index.js';

type Section = Record<string, unknown>;

/** Sums `What is a + b?`, the first `1 + 0`, the next `2 + 0` and so on. */
export function sums(count: number): Section[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `s${index + 1}`,
    question: `What is ${index + 1} + 0?`,
    answer: String(index + 1),
  }));
}

/** A config over sums; the model is handed to `runInProcess` by the test. */
export function config(sections: Record<string, Section> = {}, count = 3): RunConfig {
  const { dataset, lm, agent, ...rest } = sections;
  return resolveConfig(
    {
      name: 'a run',
      dataset: { items: sums(count), task_type: 'numeric', id_field: 'id', ...dataset },
      lm: { model: 'openai/fake', base_url: 'http://127.0.0.1:9/v1', ...lm },
      agent: { type: 'history_agent', history_k: 0, ...agent },
      ...rest,
    },
    { source: 'the test', folder: tmpdir(), fallbackName: 'a run' },
  );
}

export type Answer = string | Error | Partial<GenerateReply>;

/** A model that answers with a function's value, keeps what it was asked, and counts how many calls overlapped. */
export class FakeModel implements LanguageModel {
  readonly asked: GenerateRequest[] = [];
  inFlight = 0;
  mostInFlight = 0;

  constructor(private readonly answer: (request: GenerateRequest, attempt: number) => Answer) {}

  async generate(request: GenerateRequest): Promise<GenerateReply> {
    this.asked.push(request);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    // Other lanes get to ask before this call is answered.
    await new Promise((resolve) => setImmediate(resolve));
    this.inFlight -= 1;
    const { sample_id, trial, purpose, ordinal } = request.call;
    const attempt = this.asked.filter(
      ({ call }) =>
        call.sample_id === sample_id &&
        call.trial === trial &&
        call.purpose === purpose &&
        call.ordinal === ordinal,
    ).length;
    const answer = this.answer(request, attempt);
    if (answer instanceof Error) throw answer;
    const usage = { input_tokens: 10, output_tokens: 5 };
    const reply = typeof answer === 'string' ? { text: answer } : answer;
    return { text: '', finish_reason: 'stop', usage, ...reply };
  }
}

/** The last user message of a request. */
export function prompt({ messages }: GenerateRequest): string {
  return messages.at(-1)?.content ?? '';
}

/** The right answer to the last sum of a prompt. */
export function solve(request: GenerateRequest): string {
  const sum = [...prompt(request).matchAll(/What is (\d+) \+ 0\?/g)].at(-1);
  return `The answer is ${sum?.[1]}.`;
}

/** Writes a file into a folder that is removed when the test ends. */
export async function temporaryFile(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reprise-in-process-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
