import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { UPDATES, WORKFLOW_TYPES } from '../contracts/names.js';
import { EXIT } from './exit.js';
import { printText } from './print.js';
import { describeRun, withClient } from './status.js';
import { takeUpdate } from './take-update.js';

/** What an experiment does at once. */
const WORK: Readonly<Record<string, { inFlight: string; atOnce: string }>> = {
  [WORKFLOW_TYPES.run]: { inFlight: 'episodes in flight are finished first', atOnce: 'lanes' },
  // The same command goes on from what was finished.
  [WORKFLOW_TYPES.evolve]: {
    inFlight: 'executions and calls in flight are finished first',
    atOnce: 'executions and calls',
  },
  [WORKFLOW_TYPES.agentEval]: { inFlight: 'rollouts in flight are finished first', atOnce: 'rollouts' },
  [WORKFLOW_TYPES.judge]: { inFlight: 'calls in flight are finished first', atOnce: 'steps' },
};
type Work = (typeof WORK)[string];

async function update(
  id: string,
  name: string,
  lanes: number | undefined,
  done: (work: Work) => string,
): Promise<void> {
  await withClient(async (client) => {
    const description = await describeRun(client, id);
    if (description.status.name !== 'RUNNING') {
      throw new InvalidInputError(`the run '${id}' has ended (${description.status.name.toLowerCase()})`);
    }
    const work = WORK[description.type];
    if (work === undefined) {
      throw new InvalidInputError(`'${id}' is a part of an experiment; ${name} works on the whole`);
    }
    const handle = client.workflow.getHandle(id);
    await takeUpdate(handle, name, lanes);
    printText(done(work));
  });
}

export function addControlCommands(program: Command, finish: (code: number) => void): void {
  const command = (
    name: string,
    description: string,
    updateName: string,
    done: (id: string, work: Work) => string,
  ) =>
    program
      .command(name)
      .description(description)
      .argument('<id>', 'the run’s id')
      .action(async (id: string) => {
        await update(id, updateName, undefined, (work) => done(id, work));
        finish(EXIT.done);
      });
  command(
    'stop',
    'finish what is in flight, then write the results',
    UPDATES.stop,
    (id, { inFlight }) => `${id} is stopping: ${inFlight}`,
  );
  command(
    'pause',
    'start no further calls for now',
    UPDATES.pause,
    (id) => `${id} is paused; go on with: reprise resume ${id}`,
  );
  command('resume', 'go on after a pause', UPDATES.resume, (id) => `${id} goes on`);
  program
    .command('set-concurrency')
    .description(
      'change how much is done at once: lanes of a run, executions and calls of an evolution, rollouts, steps of a judgement',
    )
    .argument('<id>', 'the run’s id')
    .argument('<number>', 'at once')
    .action(async (id: string, lanes: string) => {
      const number = Number(lanes);
      if (!Number.isInteger(number) || number < 1)
        throw new InvalidInputError(`${lanes} is not a whole number of at least 1`);
      await update(
        id,
        UPDATES.setConcurrency,
        number,
        ({ atOnce }) => `${id} runs ${number} ${atOnce} at once`,
      );
      finish(EXIT.done);
    });
}
