import type { DynamicCheatsheetAgentConfig } from '../../config/agent-schemas.js';
import type { ChatMessage, GenerateParameters, Purpose } from '../../contracts/language-model.js';
import { fillTemplate } from '../../contracts/template.js';
import { type ExperienceEntry, isOfSample } from '../../memory/entries.js';
import { type ExperienceMemory, isExperienceMemory, isSheetMemory } from '../../memory/memory-module.js';
import { MemoryAgent, refuseEmpty } from '../memory-agent.js';
import { GO_ON, LAST_ROUND, outputBlock, requestedCode } from './code-rounds.js';
import { curates, usesRetrieval } from './modes.js';
import { sheetIn } from './sheet-in.js';
import {
  CODE_PROTOCOL,
  CURATOR_TEMPLATE,
  EMPTY_SHEET_TEXT,
  GENERATOR_TEMPLATE,
  SYNTHESIS_TEMPLATE,
} from './templates.js';

/** Count that stands for all experiences. */
const EVERY = 1_000_000_000;

/** Names of the counts in `agent_metrics`. */
const COUNTS = {
  curations: 'curations',
  withoutSheet: 'curations_without_sheet',
  cut: 'sheets_cut',
  examples: 'examples_shown',
  failedPrograms: 'programs_failed',
  noCodeLeft: 'code_asked_for_after_last_round',
} as const;

function shownSteps(steps: readonly ExperienceEntry[]): string {
  return steps.map(({ obs, action }) => `Observation:\n${obs}\n\nAction:\n${action}`).join('\n\n');
}

/**
 * Dynamic Cheatsheet agent (Suzgun et al., 2025, arXiv 2504.07952): the model keeps notes for itself from task to task,
 * and may run code. `mode` decides where a prompt's notes and examples come from; see docs/memory.md for what each
 * costs. No prompt holds a gold answer, unless `curator_sees_feedback` shows it to the curator.
 */
export class DynamicCheatsheetAgent extends MemoryAgent<DynamicCheatsheetAgentConfig> {
  override async act(observation: string): Promise<string> {
    this.lastObservation = observation;
    if (this.config.mode === 'retrieval_synthesis' && this.trajectory.length === 0) {
      await this.synthesize(observation);
    }
    const prompt = await this.buildGeneratorPrompt(observation);
    this.lastAction = await this.answer(prompt);
    return this.lastAction;
  }

  override async endEpisode(): Promise<void> {
    if (this.config.mode === 'cumulative' && this.trajectory.length > 0) await this.curate();
  }

  /** Requests replies and runs their programs, up to the last round; all rounds together are the action. */
  private async answer(prompt: string): Promise<string> {
    const { system_prompt, use_code_execution, max_code_rounds, code_timeout_sec } = this.config;
    const messages = this.messagesWith(prompt, system_prompt);
    const said: string[] = [];
    for (let round = 1; ; round++) {
      const text = await this.ask('act', messages);
      const wanted = use_code_execution ? requestedCode(text) : null;
      const outOfRounds = round > max_code_rounds;
      if (wanted === null || outOfRounds) {
        if (wanted !== null) this.count(COUNTS.noCodeLeft);
        return [...said, text].join('\n\n');
      }
      const result = await this.codeExecutor.execute({ code: wanted.code, timeout_sec: code_timeout_sec });
      if (result.status !== 'ok') this.count(COUNTS.failedPrograms);
      const turn = `${wanted.upToFlag}\n\n${outputBlock(result)}`;
      said.push(turn);
      messages.push(
        { role: 'assistant', content: turn },
        { role: 'user', content: round === max_code_rounds ? LAST_ROUND : GO_ON },
      );
    }
  }

  /** @throws EmptyReplyError for an `act` reply without text; the curator's reply may be empty. */
  private async ask(
    purpose: Purpose,
    messages: readonly ChatMessage[],
    parameters?: GenerateParameters,
  ): Promise<string> {
    const reply = await this.languageModel.generate({
      purpose,
      messages: [...messages],
      ...(parameters === undefined ? {} : { parameters }),
    });
    if (purpose === 'act') refuseEmpty(reply);
    return reply.text;
  }

  private async buildGeneratorPrompt(question: string): Promise<string> {
    const { generator_template, use_code_execution } = this.config;
    return fillTemplate(generator_template ?? GENERATOR_TEMPLATE, {
      question: this.shownTask(this.asked(question)),
      cheatsheet: this.shownSheet(),
      examples: await this.shownExamples(question),
      code: use_code_execution ? CODE_PROTOCOL : '',
    });
  }

  /** Returns the sheet, or a placeholder if there is none. */
  private shownSheet(): string {
    const sheet = curates(this.config) && isSheetMemory(this.memory) ? this.memory.getCheatsheet() : '';
    return sheet === '' ? EMPTY_SHEET_TEXT : sheet;
  }

  /** Returns the observation; within an episode, preceded by the steps so far. */
  private shownTask(observation: string): string {
    if (this.trajectory.length === 0) return observation;
    return `The steps so far:\n\n${shownSteps(this.trajectory)}\n\nObservation now:\n${observation}`;
  }

  /** Returns the prompt's examples. With `retrieval_synthesis`, similar ones are in the sheet already. */
  private async shownExamples(question: string): Promise<string> {
    const { mode, history_k, retrieve_top_k } = this.config;
    const { memory } = this;
    if (!isExperienceMemory(memory)) return '';
    const newestOf = (k: number) => this.others(k, (wanted) => memory.newestExperiences(wanted));
    if (mode === 'full_history') return this.show('Earlier tasks', await newestOf(EVERY));
    const retrieves = usesRetrieval(this.config) && mode !== 'retrieval_synthesis';
    const similar = retrieves
      ? await this.others(retrieve_top_k, (wanted) => this.similar(memory, question, wanted))
      : [];
    const newest = await newestOf(history_k);
    return this.show('Similar tasks, the most similar last', similar) + this.show('The newest tasks', newest);
  }

  private similar(memory: ExperienceMemory, question: string, k: number): Promise<ExperienceEntry[]> {
    return memory.retrieveExamples(question, k, this.episode.sample_id);
  }

  /**
   * Returns up to `k` experiences without the steps of this episode, which the prompt shows separately. The best come
   * last.
   */
  private async others(
    k: number,
    find: (wanted: number) => Promise<ExperienceEntry[]>,
  ): Promise<ExperienceEntry[]> {
    if (k === 0) return [];
    const found = await find(k + this.trajectory.length);
    return found.filter((entry) => !this.isStepOfThisEpisode(entry)).slice(-k);
  }

  private isStepOfThisEpisode(entry: ExperienceEntry): boolean {
    const { episode } = this;
    const { trial, obs, action } = entry;
    return (
      isOfSample(entry, episode.sample_id) &&
      trial === episode.trial &&
      this.trajectory.some((step) => step.obs === obs && step.action === action)
    );
  }

  /** Formats experiences as questions and answers, without feedback, which may contain the gold answer. */
  private show(title: string, experiences: readonly ExperienceEntry[]): string {
    if (experiences.length === 0) return '';
    this.count(COUNTS.examples, experiences.length);
    const shown = experiences.map(
      ({ obs, action }, number) =>
        `### Example ${number + 1}\nTask:\n${obs}\n\nAnswer that was given:\n${action}\n`,
    );
    return `## ${title}\n${shown.join('\n')}\n`;
  }

  /** Lets the curator rewrite the sheet after an answer. */
  private async curate(): Promise<void> {
    const steps = this.trajectory;
    const [first] = steps as [ExperienceEntry];
    const answer = steps.length === 1 ? first.action : shownSteps(steps);
    const last = steps.at(-1) as ExperienceEntry;
    const feedback = this.config.curator_sees_feedback
      ? `\n## How it was judged\n${JSON.stringify(last.feedback)}\n`
      : '';
    const template = this.config.cheatsheet_template ?? CURATOR_TEMPLATE;
    await this.rewriteSheet('curate', template, { question: first.obs, answer, feedback });
  }

  /** Lets the curator write a sheet from similar experiences before an answer. */
  private async synthesize(question: string): Promise<void> {
    const { memory } = this;
    const { cheatsheet_template, retrieve_top_k } = this.config;
    if (!isExperienceMemory(memory)) return;
    const similar = await this.similar(memory, question, retrieve_top_k);
    const examples = this.show('Similar tasks, the most similar last', similar);
    await this.rewriteSheet('synthesize', cheatsheet_template ?? SYNTHESIS_TEMPLATE, { question, examples });
  }

  private async rewriteSheet(
    purpose: 'curate' | 'synthesize',
    template: string,
    values: Record<string, string>,
  ): Promise<void> {
    const { memory } = this;
    if (!isSheetMemory(memory)) return;
    const content = fillTemplate(template, {
      cheatsheet: this.shownSheet(),
      max_chars: String(memory.maxChars),
      ...values,
    });
    const { curator_max_tokens } = this.config;
    const parameters = curator_max_tokens === null ? undefined : { max_output_tokens: curator_max_tokens };
    const reply = await this.ask(purpose, [{ role: 'user', content }], parameters);
    this.count(COUNTS.curations);
    const sheet = sheetIn(reply, memory.getCheatsheet());
    if (sheet === null) {
      this.count(COUNTS.withoutSheet);
      return;
    }
    const { cut } = memory.setCheatsheet(sheet, this.provenance());
    if (cut) this.count(COUNTS.cut);
  }
}
