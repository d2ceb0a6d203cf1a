import type { Command } from 'commander';
import { control } from '../client/control.js';
import { InvalidInputError } from '../config/errors.js';
import type { ConfigKind } from '../config/kind.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { printText } from './print.js';
import { withClient } from './status.js';

async function update(
  id: string,
  name: Parameters<typeof control>[2],
  lanes: number | undefined,
  done: (kind: ConfigKind) => string,
): Promise<void> {
  await withClient(async (client) => {
    const kind = await control(client, id, name, lanes);
    printText(done((await kind.kind()).config));
  });
}

export function addControlCommands(program: Command, finish: (code: number) => void): void {
  const command = (name: 'stop' | 'pause' | 'resume', done: (id: string, kind: ConfigKind) => string) =>
    program
      .command(name)
      .addHelpText('after', examples(`reprise ${name} my-run`))
      .argument('<id>', 'the run’s id')
      .action(async (id: string) => {
        await update(id, name, undefined, (kind) => done(id, kind));
        finish(EXIT.done);
      });
  command('stop', (id, { inFlight }) => `${id} is stopping: ${inFlight} in flight are finished first`);
  command('pause', (id) => `${id} is paused; continue with: reprise resume ${id}`);
  command('resume', (id) => `${id} continues`);
  program
    .command('set-concurrency')
    .addHelpText('after', examples('reprise set-concurrency my-run 20'))
    .argument('<id>', 'the run’s id')
    .argument('<number>', 'at once')
    .action(async (id: string, lanes: string) => {
      const number = Number(lanes);
      if (!Number.isInteger(number) || number < 1)
        throw new InvalidInputError(`${lanes} is not a whole number of at least 1`);
      await update(id, 'setConcurrency', number, ({ atOnce }) => `${id} runs ${number} ${atOnce} at once`);
      finish(EXIT.done);
    });
}
