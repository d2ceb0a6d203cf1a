import { condition, sleep } from '../../workflows/sdk.js';
import { IdleAgentError, type IdleTurn } from './agent-turns.js';

/** Seconds until a waiting turn is ended: the agent may use a timer. */
const PATIENCE_SECONDS = 30;

/**
 * Ends the turns of agents that wait, but not for anything in progress: they would never continue, and their samples
 * would keep the run from ending. Runs until the workflow ends or is cancelled.
 */
export async function endStuckTurns(turns: ReadonlySet<IdleTurn>): Promise<never> {
  for (;;) {
    // Evaluated after all events of a workflow task have been delivered.
    await condition(() => turns.size > 0);
    const idle = [...turns];
    await sleep(PATIENCE_SECONDS * 1000);
    // A timer of the agent may fire at the same time, where no worker was running when either was due.
    await sleep(1000);
    for (const turn of idle) {
      if (turns.has(turn))
        turn.end(new IdleAgentError(`the agent waited ${PATIENCE_SECONDS} s for none of its calls`));
    }
  }
}
