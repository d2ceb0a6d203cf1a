import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { SEARCH_ATTRIBUTES } from '../contracts/names.js';
import { connectClient, resolveServer } from '../workers/connection.js';
import { examples } from './examples.js';
import { EXIT } from './exit.js';
import { printText, sayText } from './print.js';

/** `INDEXED_VALUE_TYPE_KEYWORD` of the API. */
const KEYWORD = 2;

/** Registers the search attributes that are missing; returns their names. */
export async function registerSearchAttributes(client: Client, namespace: string): Promise<string[]> {
  const { operatorService } = client.connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter((name) => customAttributes?.[name] === undefined);
  if (missing.length > 0) {
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  }
  return missing;
}

export function addSetupCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('setup')
    .addHelpText('after', examples('reprise setup'))
    .action(async () => {
      const server = await resolveServer({
        start: true,
        say: (message) => sayText(message),
      });
      const client = await connectClient(server);
      try {
        const added = await registerSearchAttributes(client, server.namespace);
        const what =
          added.length === 0 ? 'all search attributes were there already' : `registered ${added.join(', ')}`;
        printText(`${server.address}, namespace ${server.namespace}: ${what}`);
      } finally {
        await client.connection.close();
        await server.release();
      }
      finish(EXIT.done);
    });
}
