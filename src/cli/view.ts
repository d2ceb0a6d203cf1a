import type { Command } from 'commander';
import { InvalidInputError } from '../config/errors.js';
import { openStore } from '../storage/open.js';
import { Experiments } from '../view/experiments.js';
import { Live } from '../view/live.js';
import { serveViewer } from '../view/server.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { resultsFolders } from './find-experiment.js';
import { interruption } from './interruption.js';
import { printText } from './print.js';
import { retry } from './retry.js';

interface Options {
  port: string;
  write?: boolean;
}

/** Returns the folder that is viewed: the given one, or the first default one with experiments. */
async function rootOf(given: string | undefined): Promise<string> {
  const [first = '.', ...others] = resultsFolders(given);
  for (const folder of [first, ...others])
    if ((await openStore(folder).folders('')).length > 0) return folder;
  return first;
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InvalidInputError(`--port: ${JSON.stringify(text)} is no port; give a number from 0 to 65535`);
}

export function addViewCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('view')
    .addHelpText(
      'after',
      examples('reprise view', 'reprise view s3://bucket/results', 'reprise view --write'),
    )
    .argument(
      '[results_dir]',
      'the folder of experiments, or an s3:// address (default: results or experiments)',
    )
    .option('--port <number>', 'the port; 0 for a free one', '0')
    .option('--write', 'let pages pause, resume, stop, ask errors again, reply and note')
    .action(async (given: string | undefined, options: Options) => {
      const port = portOf(options.port);
      const root = await rootOf(given);
      // The reader may press Ctrl-C as soon as the address is printed.
      const { came, dispose } = interruption('Ending.');
      const live = new Live(true);
      const viewer = await serveViewer({
        experiments: new Experiments(openStore(root), live),
        live,
        port,
        write: options.write === true,
        retry: async (id) => {
          await retry(id, { resultsDir: root, detach: true });
        },
      });
      printText(`Experiments of ${root}: ${viewer.url}\nCtrl-C ends the viewer.`);
      await came;
      dispose();
      await viewer.close();
      finish(EXIT.done);
    });
}
