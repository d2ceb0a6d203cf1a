import type {
  AgentTurn,
  DatabaseVersion,
  OpenCalls,
  RolloutEnding,
  RolloutOutcome,
  RolloutPlace,
  ToolTurn,
  UserFault,
  UserTurn,
} from '../contracts.js';

/** Maximum number of attempts at one message of a simulated user. */
export const USER_ATTEMPTS = 3;

/** Rules of a row's rollouts. */
export interface RolloutRules {
  /** Maximum number of the agent's replies. */
  max_turns: number;
  /** True if somebody answers the agent. */
  has_user: boolean;
  /** True if the user writes the first message. */
  user_begins: boolean;
  /** True if the rollout ends once the goal holds. */
  stops_at_goal: boolean;
}

/** Operations that a rollout needs from outside; a workflow implements them with activities. */
export interface RolloutPorts {
  /** Requests the agent's next reply. Rejects if the call failed for good, or no further step may begin. */
  agent(place: RolloutPlace): Promise<AgentTurn>;
  /** Makes a tool call of the agent's last reply. @param index of the call in the reply, from 0 */
  tool(place: RolloutPlace, index: number): Promise<ToolTurn>;
  /** Obtains the user's next message. */
  user(place: RolloutPlace): Promise<UserTurn>;
}

/** Returns the place of a rollout that has not begun. */
export function firstPlace(at: DatabaseVersion): RolloutPlace {
  return { agent_turns: 0, user_turns: 0, user_faults: 0, at };
}

/**
 * A conversation of an agent with tools and a user. Every tool call of a reply is made, in order; a reply without one
 * goes to the user. Each step gets the place at which it begins, from which the store gives the conversation so far,
 * and a repeated step is the same step.
 */
export class Rollout {
  private here: RolloutPlace;

  /** @param begin place at which it continues; see {@link firstPlace} */
  constructor(
    private readonly rules: RolloutRules,
    private readonly ports: RolloutPorts,
    begin: RolloutPlace,
  ) {
    this.here = begin;
  }

  get place(): RolloutPlace {
    return this.here;
  }

  /** Runs until the rollout ends; null if `interrupted` is true before a reply of the agent or a tool call. */
  async run(interrupted: () => boolean = () => false): Promise<RolloutOutcome | null> {
    const { max_turns, user_begins } = this.rules;
    if (user_begins && this.here.user_turns === 0) {
      const ended = await this.userTurn();
      if (ended !== null) return ended;
    }
    for (;;) {
      const { open, agent_turns } = this.here;
      if (open === undefined && agent_turns >= max_turns) return this.end('max_turns');
      if (interrupted()) return null;
      const ended = await (open === undefined ? this.agentTurn() : this.toolCall(open));
      if (ended !== null) return ended;
    }
  }

  /** Takes a reply of the agent. */
  private async agentTurn(): Promise<RolloutOutcome | null> {
    const { tool_calls, cut_off } = await this.ports.agent(this.here);
    this.move({ agent_turns: this.here.agent_turns + 1 });
    if (cut_off === true) return this.end('cut_off');
    if (tool_calls === 0) return this.replied();
    this.move({ open: { calls: tool_calls, made: 0, goal: false } });
    return null;
  }

  /** Makes the next tool call of the reply. The goal counts only after the last one. */
  private async toolCall({ calls, made, goal }: OpenCalls): Promise<RolloutOutcome | null> {
    const called = await this.ports.tool(this.here, made);
    const open = { calls, made: made + 1, goal: called.goal ?? goal };
    this.move({ at: called.at, open });
    if (open.made < calls) return null;
    const { open: _done, ...place } = this.here;
    this.here = place;
    return open.goal && this.rules.stops_at_goal ? this.end('goal') : null;
  }

  /** Passes a reply without a tool call to the user. */
  private async replied(): Promise<RolloutOutcome | null> {
    if (this.here.user_left) return this.end('user_stop');
    return this.rules.has_user ? this.userTurn() : this.end('agent_done');
  }

  private async userTurn(): Promise<RolloutOutcome | null> {
    for (;;) {
      const turn = await this.ports.user(this.here);
      if (turn.kind !== 'faulty') {
        this.move({ user_turns: this.here.user_turns + 1, user_faults: 0 });
        if (turn.kind === 'answered_and_left' && this.here.agent_turns < this.rules.max_turns) {
          this.move({ user_left: true });
          return null;
        }
        return turn.kind === 'said' ? null : this.end('user_stop');
      }
      this.move({ user_faults: this.here.user_faults + 1 });
      if (this.here.user_faults >= USER_ATTEMPTS) return this.end('user_fault', turn.fault);
    }
  }

  private move(to: Partial<RolloutPlace>): void {
    this.here = { ...this.here, ...to };
  }

  private end(ending: RolloutEnding, user_fault: UserFault | null = null): RolloutOutcome {
    return { ending, place: this.here, user_fault };
  }
}
