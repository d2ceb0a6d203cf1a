import type { Client } from '@temporalio/client';
import { askProgress } from '../client/follow.js';
import { listExperiments } from '../client/list.js';
import type { ExperimentProgress } from '../contracts/progress.js';
import { connectClient, resolveServer, type Server } from '../workers/connection.js';

/** Milliseconds for which an answer of the server is shown again. */
const FRESH_MS = 2000;
/** Milliseconds until a server that was not there is looked for again. */
const AGAIN_MS = 15_000;
const QUERY_MS = 3000;
const MAX_LISTED = 100;

interface InProgress {
  /** Id of the workflow. */
  id: string;
  progress: ExperimentProgress;
}

/** The Temporal server of this folder, as far as one runs: what is in progress on it, and where its pages are. */
export class Live {
  private connection: Promise<{ client: Client; server: Server } | null> | null = null;
  private connectedAt = 0;
  private last: { at: number; found: Promise<Map<string, InProgress>> } | null = null;
  /** What was said last, for when a busy worker or server gives no answer in time. */
  private said = new Map<string, InProgress>();
  private saidAt = 0;
  private server: Server | null = null;

  /** @param isOn false where no server is asked */
  constructor(private readonly isOn: boolean) {}

  /** Returns the experiments in progress by the address of their folder; none where no server answers. */
  inProgress(): Promise<Map<string, InProgress>> {
    if (this.last === null || Date.now() - this.last.at > FRESH_MS)
      this.last = { at: Date.now(), found: this.ask().catch(() => this.unanswered()) };
    return this.last.found;
  }

  /** Returns the address of a workflow's page in the Temporal UI; null where no server is known. */
  workflowAddress(id: string): string | null {
    if (this.server?.uiUrl == null) return null;
    const { uiUrl, namespace } = this.server;
    return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
  }

  /** Returns a client of the server; null where there is none. */
  async client(): Promise<Client | null> {
    if (!this.isOn) return null;
    if (
      this.connection === null ||
      ((await this.connection) === null && Date.now() - this.connectedAt > AGAIN_MS)
    ) {
      this.connectedAt = Date.now();
      this.connection = resolveServer({ start: false })
        .then(async (server) => ({ server, client: await connectClient(server) }))
        .catch(() => null);
    }
    const connected = await this.connection;
    this.server = connected?.server ?? null;
    return connected?.client ?? null;
  }

  async close(): Promise<void> {
    await (await this.connection)?.client.connection.close();
  }

  private async ask(): Promise<Map<string, InProgress>> {
    const client = await this.client();
    if (client === null) return new Map();
    const listed = await listExperiments(client, { status: 'running', limit: MAX_LISTED });
    const found = await Promise.all(
      listed.map(async ({ id }) => ({
        id,
        progress:
          (await askProgress<ExperimentProgress>(client.workflow.getHandle(id), QUERY_MS)) ?? undefined,
      })),
    );
    const before = new Map([...this.said.values()].map((one) => [one.id, one.progress]));
    this.said = new Map(
      found.flatMap(({ id, progress = before.get(id) }) =>
        progress === undefined || progress.artifacts === ''
          ? []
          : [[progress.artifacts, { id, progress }] as const],
      ),
    );
    this.saidAt = Date.now();
    return this.said;
  }

  private unanswered(): Map<string, InProgress> {
    return Date.now() - this.saidAt < AGAIN_MS ? this.said : new Map();
  }
}
