import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { provideTemporalBinary } from '../workers/temporal-binary.js';
import { examples } from './examples.js';
import { sayText } from './print.js';
import { withServer } from './with-server.js';

/** Commands of the Temporal CLI that use no server. */
const LOCAL = ['server', 'env', 'config', 'completion', 'help'];
/** Pattern of options that choose a server or need none. */
const OWN_WORDS = /^(?:--(?:address|profile|env|help|version)(?:=|$)|-[hv]$)/;

/** Reports whether a Temporal CLI command would use the server at the default port, maybe another folder's. */
export function needsAddress(words: readonly string[]): boolean {
  const [command] = words;
  return command !== undefined && !LOCAL.includes(command) && !words.some((word) => OWN_WORDS.test(word));
}

async function runTemporal(words: readonly string[], variables: Record<string, string>): Promise<number> {
  const binary = await provideTemporalBinary({ say: sayText });
  // The CLI ends at Ctrl-C, and then this process.
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

/** Adds the command that runs the Temporal CLI with the server that Reprise uses. */
export function addTemporalCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('temporal')
    .addHelpText('after', examples('reprise temporal workflow list'))
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
