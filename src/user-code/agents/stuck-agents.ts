import { condition, sleep } from '../../workflows/sdk.js';
import { IdleAgentError, type IdleTurn } from './agent-turns.js';

/** An agent may wait for a timer of its own, though it has no use for one. */
const PATIENCE_SECONDS = 30;

/**
 * Ends the turns of agents that wait for nothing that is under way: nothing would ever wake them, and their samples would
 * keep the run from ending. Goes on until the workflow ends or is cancelled.
 */
export async function endStuckTurns(turns: ReadonlySet<IdleTurn>): Promise<never> {
  for (;;) {
    // Asked when all that a task of the workflow brings has been passed on.
    await condition(() => turns.size > 0);
    const idle = [...turns];
    await sleep(PATIENCE_SECONDS * 1000);
    // A timer of the agent's own may have rung at the same moment, where no worker was there to hear either.
    await sleep(1000);
    for (const turn of idle) {
      if (turns.has(turn))
        turn.end(new IdleAgentError(`the agent waited ${PATIENCE_SECONDS} s for none of its calls`));
    }
  }
}
