import type { AgentContext, AgentLanguageModel } from 'reprise';

/** The fields of `agent` in the config that this agent reads. */
interface MajorityAgentConfig {
  system_prompt: string | null;
  /** Replies per question. */
  votes?: number;
}

const DEFAULT_VOTES = 3;
const DEFAULT_PROMPT = 'Solve the problem. Put the answer alone in the last line.';

function lastLine(reply: string): string {
  return reply.trim().split('\n').at(-1)?.trim() ?? '';
}

/**
 * Asks the same question several times and answers with what most replies end with; of equals, with the earliest
 * (self-consistency: Wang et al., 2022, arXiv 2203.11171). It remembers nothing.
 */
export default class MajorityAgent {
  private readonly languageModel: AgentLanguageModel;
  private readonly systemPrompt: string;
  private readonly votes: number;

  constructor({ config, languageModel }: AgentContext<MajorityAgentConfig>) {
    this.languageModel = languageModel;
    this.systemPrompt = config.system_prompt ?? DEFAULT_PROMPT;
    this.votes = config.votes ?? DEFAULT_VOTES;
    if (!Number.isInteger(this.votes) || this.votes < 1) {
      throw new Error('agent.votes: must be a whole number of at least 1');
    }
  }

  async act(observation: string): Promise<string> {
    // Each call has an identity of its own, so after a crash the votes that are in are not asked for again.
    const replies = await Promise.all(Array.from({ length: this.votes }, () => this.ask(observation)));
    const counts = new Map<string, number>();
    for (const reply of replies) counts.set(lastLine(reply), (counts.get(lastLine(reply)) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return replies.find((reply) => counts.get(lastLine(reply)) === most) ?? '';
  }

  private async ask(observation: string): Promise<string> {
    const { text } = await this.languageModel.generate({
      purpose: 'act',
      messages: [
        { role: 'system', content: this.systemPrompt },
        { role: 'user', content: observation },
      ],
    });
    return text;
  }
}
