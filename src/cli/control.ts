import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import type { ConfigKind } from '../config/kind.js';
import { UPDATES } from '../contracts/names.js';
import { kindOf } from '../kinds/registry.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { printText } from './print.js';
import { describeRun, withClient } from './status.js';
import { takeUpdate } from './take-update.js';

async function update(
  id: string,
  name: string,
  lanes: number | undefined,
  done: (kind: ConfigKind) => string,
): Promise<void> {
  await withClient(async (client) => {
    const description = await describeRun(client, id);
    if (description.status.name !== 'RUNNING') {
      throw new InvalidInputError(`the run '${id}' has ended (${description.status.name.toLowerCase()})`);
    }
    const kind = kindOf(description.type);
    if (kind === undefined) {
      throw new InvalidInputError(`'${id}' is a part of an experiment; ${name} works on the whole`);
    }
    const handle = client.workflow.getHandle(id);
    await takeUpdate(handle, name, lanes);
    printText(done((await kind.kind()).config));
  });
}

export function addControlCommands(program: Command, finish: (code: number) => void): void {
  const command = (name: string, updateName: string, done: (id: string, kind: ConfigKind) => string) =>
    program
      .command(name)
      .addHelpText('after', examples(`reprise ${name} my-run`))
      .argument('<id>', 'the run’s id')
      .action(async (id: string) => {
        await update(id, updateName, undefined, (kind) => done(id, kind));
        finish(EXIT.done);
      });
  command(
    'stop',
    UPDATES.stop,
    (id, { inFlight }) => `${id} is stopping: ${inFlight} in flight are finished first`,
  );
  command('pause', UPDATES.pause, (id) => `${id} is paused; continue with: reprise resume ${id}`);
  command('resume', UPDATES.resume, (id) => `${id} continues`);
  program
    .command('set-concurrency')
    .addHelpText('after', examples('reprise set-concurrency my-run 20'))
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
