import type { ChatMessage, Role, ToolCall } from '../../../contracts/language-model.js';
import type { ToolOutcome } from '../bundles/contracts.js';
import type { ToolRegistry } from '../bundles/tool-registry.js';
import { LeftError, type Spoken } from './play-row.js';

/** Terminal at which a person reads and writes. */
export interface Terminal {
  say(text: string): void;
  /** Reads a line; null at the end of the input. */
  ask(prompt: string): Promise<string | null>;
}

const AGENT_HELP =
  'You are the agent. A line is said to the user; /NAME {"argument": …} calls a tool; /tools lists them; Ctrl-D leaves.';
const CALL = /^\/([\w-]+)(.*)/s;

export function userHelp(stopToken: string): string {
  return `You are the user. ${stopToken} ends the conversation, alone or at the end of a message; Ctrl-D leaves.`;
}

async function line(terminal: Terminal, prompt: string): Promise<string> {
  for (;;) {
    const text = await terminal.ask(prompt);
    if (text === null) throw new LeftError();
    if (text.trim() !== '') return text.trim();
  }
}

/** Display of the messages that a person has not seen. Tool calls and their results are shown when they are made. */
export class MessageDisplay {
  private shown = 0;

  /** @param hidden roles whose messages are not shown */
  constructor(
    private readonly terminal: Terminal,
    private readonly hidden: readonly Role[] = ['tool'],
  ) {}

  show(messages: readonly ChatMessage[]): void {
    for (const { role, content } of messages.slice(this.shown)) {
      if (!this.hidden.includes(role) && content.trim() !== '') this.terminal.say(`${role}: ${content}`);
    }
    this.shown = messages.length;
  }

  called(
    { name, arguments: written }: ToolCall,
    outcome: ToolOutcome,
    messages: readonly ChatMessage[],
  ): void {
    this.show(messages);
    this.terminal.say(`  ${name} ${written}\n  → ${outcome.content}`);
  }

  /** Skips the message that the person wrote, which is on the screen already. */
  wrote(): void {
    this.shown += 1;
  }
}

/** Creates a user that a person plays. */
export function personAsUser(terminal: Terminal, transcript: MessageDisplay) {
  return async (messages: readonly ChatMessage[]): Promise<string> => {
    transcript.show(messages);
    const said = await line(terminal, 'user> ');
    transcript.wrote();
    return said;
  };
}

function toolList(registry: ToolRegistry, allowed: readonly string[] | null): string {
  return registry
    .toToolDefinitions(allowed)
    .map(({ name, description = '', parameters }) => {
      const properties = Object.keys((parameters.properties ?? {}) as object);
      return `  /${name} {${properties.map((key) => `"${key}": …`).join(', ')}}  ${description}`;
    })
    .join('\n');
}

/** Creates an agent that a person plays, with one tool call per reply. */
export function personAsAgent(
  terminal: Terminal,
  transcript: MessageDisplay,
  { registry, allowed }: { registry: ToolRegistry; allowed: readonly string[] | null },
) {
  return async (messages: readonly ChatMessage[], reply: number): Promise<Spoken> => {
    if (reply === 0) terminal.say(`${AGENT_HELP}\n${toolList(registry, allowed)}`);
    transcript.show(messages);
    for (;;) {
      const said = await line(terminal, 'agent> ');
      if (said === '/tools') {
        terminal.say(toolList(registry, allowed));
        continue;
      }
      transcript.wrote();
      const [, name, written = ''] = CALL.exec(said) ?? [];
      if (name === undefined) return { text: said, tool_calls: [] };
      return { text: '', tool_calls: [{ id: `call-${reply}`, name, arguments: written.trim() || '{}' }] };
    }
  };
}
