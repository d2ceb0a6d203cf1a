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

/** Tries for one message of a simulated user. */
export const USER_ATTEMPTS = 3;

/** The part of a row that decides how a rollout goes. */
export interface RolloutRules {
  /** Replies of the agent. */
  max_turns: number;
  /** Whether somebody answers the agent. */
  has_user: boolean;
  /** The user has still to say the first message. */
  user_begins: boolean;
  /** The rollout ends once the goal holds. */
  stops_at_goal: boolean;
}

/** Everything that a rollout needs from outside; a workflow answers with activities. */
export interface RolloutPorts {
  /** The agent's next reply. Rejects with whatever failed for good, or where no further step may begin. */
  agent(place: RolloutPlace): Promise<AgentTurn>;
  /** Makes a tool call of the agent's last reply. @param index its place in the reply, from 0 */
  tool(place: RolloutPlace, index: number): Promise<ToolTurn>;
  /** The user's next message. */
  user(place: RolloutPlace): Promise<UserTurn>;
}

/** Before anything was said. */
export function firstPlace(at: DatabaseVersion): RolloutPlace {
  return { agent_turns: 0, user_turns: 0, user_faults: 0, at };
}

/**
 * A conversation of an agent with tools and a user. The agent speaks; every tool call of a reply is made, in its order;
 * a reply without one goes to the user. Each step is asked for with the place that it begins at, so whoever does it can
 * tell from the store what came before, and a step that is asked for again is the same step.
 */
export class Rollout {
  private standing: RolloutPlace;

  /** @param begin where it stands; see {@link firstPlace} */
  constructor(
    private readonly rules: RolloutRules,
    private readonly ports: RolloutPorts,
    begin: RolloutPlace,
  ) {
    this.standing = begin;
  }

  get place(): RolloutPlace {
    return this.standing;
  }

  /** Goes on until it ends; answers null where `interrupted` says so before a reply of the agent or a tool call. */
  async run(interrupted: () => boolean = () => false): Promise<RolloutOutcome | null> {
    const { max_turns, user_begins } = this.rules;
    if (user_begins && this.standing.user_turns === 0) {
      const ended = await this.userTurn();
      if (ended !== null) return ended;
    }
    for (;;) {
      const { open, agent_turns } = this.standing;
      if (open === undefined && agent_turns >= max_turns) return this.end('max_turns');
      if (interrupted()) return null;
      const ended = await (open === undefined ? this.agentTurn() : this.toolCall(open));
      if (ended !== null) return ended;
    }
  }

  /** A reply of the agent. */
  private async agentTurn(): Promise<RolloutOutcome | null> {
    const { tool_calls, cut_off } = await this.ports.agent(this.standing);
    this.move({ agent_turns: this.standing.agent_turns + 1 });
    if (cut_off === true) return this.end('cut_off');
    if (tool_calls === 0) return this.replied();
    this.move({ open: { calls: tool_calls, made: 0, goal: false } });
    return null;
  }

  /** The next of the reply's tool calls. Whether the goal holds counts after the last one. */
  private async toolCall({ calls, made, goal }: OpenCalls): Promise<RolloutOutcome | null> {
    const called = await this.ports.tool(this.standing, made);
    const open = { calls, made: made + 1, goal: called.goal ?? goal };
    this.move({ at: called.at, open });
    if (open.made < calls) return null;
    const { open: _done, ...place } = this.standing;
    this.standing = place;
    return open.goal && this.rules.stops_at_goal ? this.end('goal') : null;
  }

  /** A reply without a tool call goes to the user. */
  private async replied(): Promise<RolloutOutcome | null> {
    if (this.standing.user_left) return this.end('user_stop');
    return this.rules.has_user ? this.userTurn() : this.end('agent_done');
  }

  private async userTurn(): Promise<RolloutOutcome | null> {
    for (;;) {
      const turn = await this.ports.user(this.standing);
      if (turn.kind !== 'faulty') {
        this.move({ user_turns: this.standing.user_turns + 1, user_faults: 0 });
        if (turn.kind === 'answered_and_left' && this.standing.agent_turns < this.rules.max_turns) {
          this.move({ user_left: true });
          return null;
        }
        return turn.kind === 'said' ? null : this.end('user_stop');
      }
      this.move({ user_faults: this.standing.user_faults + 1 });
      if (this.standing.user_faults >= USER_ATTEMPTS) return this.end('user_fault', turn.fault);
    }
  }

  private move(to: Partial<RolloutPlace>): void {
    this.standing = { ...this.standing, ...to };
  }

  private end(ending: RolloutEnding, user_fault: UserFault | null = null): RolloutOutcome {
    return { ending, place: this.standing, user_fault };
  }
}
