import { existsSync } from 'node:fs';
import { InvalidInputError } from '../config/errors.js';
import { configuredServer, resolveServer, type Server } from '../workers/connection.js';
import { serverFolder } from '../workers/server-folder.js';
import { databaseOf } from '../workers/server-process.js';
import { sayText } from './print.js';

/**
 * Runs `work` with a server, for commands that inspect runs. The embedded one is started where its database exists.
 * @throws InvalidInputError where there is neither.
 */
export async function withServer<Value>(work: (server: Server) => Promise<Value>): Promise<Value> {
  if (configuredServer(process.env) === null && !existsSync(databaseOf(serverFolder()))) {
    throw new InvalidInputError(
      `no run was started in ${process.cwd()} yet, and TEMPORAL_ADDRESS is not set`,
    );
  }
  const server = await resolveServer({ start: true, say: sayText });
  try {
    return await work(server);
  } finally {
    await server.release();
  }
}
