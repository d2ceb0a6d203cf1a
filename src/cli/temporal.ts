import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { configuredServer } from '../workers/connection.js';
import { serverFolder } from '../workers/server-folder.js';
import { findEmbeddedServer } from '../workers/server-record.js';
import { provideTemporalBinary } from '../workers/temporal-binary.js';
import { sayText } from './print.js';

/** The Temporal CLI that Reprise found or built, pointed at the server that Reprise uses. */
export function addTemporalCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('temporal')
    .description('the Temporal CLI, connected to this folder’s server: reprise temporal workflow list')
    .allowUnknownOption()
    .helpOption(false)
    .argument('[arguments...]')
    .action(async (_arguments: string[], _options: unknown, command: Command) => {
      const binary = await provideTemporalBinary({
        say: (message) => sayText(message),
      });
      const embedded =
        configuredServer(process.env) === null ? await findEmbeddedServer(serverFolder()) : null;
      const address = embedded === null ? {} : { TEMPORAL_ADDRESS: `127.0.0.1:${embedded.port}` };
      const child = spawn(binary, command.args, { stdio: 'inherit', env: { ...process.env, ...address } });
      finish(await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1))));
    });
}
