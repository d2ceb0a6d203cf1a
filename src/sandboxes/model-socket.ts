import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostError } from './host-disk.js';
import type { ModelRequests } from './model-requests.js';
import { SandboxError } from './sandbox.js';

/** Limits as in docker/scaffold-runner/model_relay.py. */
const MAXIMUM_OPEN = 64;
const MAXIMUM_LINE_BYTES = 2_700_000;

/** Socket for the model requests of a program on this machine, in a folder that only this user may open. */
export class ModelSocket {
  private readonly open = new Set<Socket>();
  private readonly queue: Socket[] = [];

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
    private readonly requests: ModelRequests,
  ) {}

  /** Opens a socket. @throws SandboxError if that fails. */
  static async listen(requests: ModelRequests): Promise<ModelSocket> {
    const folder = await mkdtemp(join(tmpdir(), 'reprise-model-')).catch((error) => {
      throw hostError(error);
    });
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true });
    const socket = new ModelSocket(folder, server, requests);
    try {
      await new Promise<void>((resolve, reject) => {
        // Stays registered: a connection without a free descriptor is an error event, which must not end the process.
        server.on('error', reject).listen(socket.path, resolve);
      });
    } catch (error) {
      await socket.close();
      throw new SandboxError(`no socket can be opened at ${socket.path}`, true, { cause: error });
    }
    server.on('connection', (connection) => socket.accept(connection));
    return socket;
  }

  get path(): string {
    return join(this.folder, 'model');
  }

  async close(): Promise<void> {
    for (const connection of [...this.open, ...this.queue.splice(0)]) connection.destroy();
    this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private accept(connection: Socket): void {
    connection.on('error', () => {});
    if (this.open.size >= MAXIMUM_OPEN) {
      this.queue.push(connection);
      return;
    }
    this.open.add(connection);
    connection.once('close', () => {
      this.open.delete(connection);
      const next = this.queue.shift();
      if (next !== undefined) this.accept(next);
    });
    this.read(connection);
  }

  private read(connection: Socket): void {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAXIMUM_LINE_BYTES) connection.destroy();
      if (!chunk.includes('\n')) return;
      connection.off('data', take);
      void this.reply(connection, Buffer.concat(chunks).toString());
    };
    connection.on('data', take);
    connection.once('end', () => {
      if (connection.listeners('data').includes(take)) connection.destroy();
    });
    connection.resume();
  }

  private async reply(connection: Socket, line: string): Promise<void> {
    const reply = await this.requests.answer(line);
    if (reply === null) connection.destroy();
    // Closed whether or not the program closes its own end.
    else connection.end(`${reply}\n`, () => connection.destroy());
  }
}
