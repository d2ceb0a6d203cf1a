import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { provideTemporalBinary } from '../workers/temporal-binary.js';
import { sayText } from './print.js';
import { withServer } from './with-server.js';

/** Commands of the Temporal CLI that ask no server. */
const LOCAL = ['server', 'env', 'config', 'completion', 'help'];
/** What says by itself which server is meant, or asks none. */
const OWN_WORDS = /^(?:--(?:address|profile|env|help|version)(?:=|$)|-[hv]$)/;

/** Whether a command of the Temporal CLI would look for a server at the usual port, which may be another folder's. */
export function needsAddress(words: readonly string[]): boolean {
  const [command] = words;
  return command !== undefined && !LOCAL.includes(command) && !words.some((word) => OWN_WORDS.test(word));
}

async function runTemporal(words: readonly string[], variables: Record<string, string>): Promise<number> {
  const binary = await provideTemporalBinary({ say: sayText });
  // Ctrl-C is the CLI's: it ends, and then we do.
  const leave = () => undefined;
  process.on('SIGINT', leave);
  try {
    const child = spawn(binary, words, { stdio: 'inherit', env: { ...process.env, ...variables } });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    process.off('SIGINT', leave);
  }
}

/** The Temporal CLI that Reprise found or built, pointed at the server that Reprise uses. */
export function addTemporalCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('temporal')
    .description('the Temporal CLI, connected to this folder’s server: reprise temporal workflow list')
    .allowUnknownOption()
    .helpOption(false)
    .argument('[arguments...]')
    .action(async (_arguments: string[], _options: unknown, { args }: Command) => {
      if (!needsAddress(args)) return finish(await runTemporal(args, {}));
      finish(
        await withServer(({ embedded, address, namespace }) =>
          runTemporal(args, embedded ? { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } : {}),
        ),
      );
    });
}
