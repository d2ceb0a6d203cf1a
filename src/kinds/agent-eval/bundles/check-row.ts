import { isInfrastructureError } from '../../../contracts/infrastructure-error.js';
import { SqlError } from '../../../databases/sql-error.js';
import { SqliteDatabase } from '../../../databases/sqlite-database.js';
import { runReward } from './judge.js';
import type { Bundle } from './load.js';
import { goalHolds, RewardError } from './reward.js';
import type { LoadedRow } from './row-loader.js';
import { type OracleEnd, OracleError, runOracle } from './run-oracle.js';
import { seedDatabase } from './seed-database.js';

interface RowNote {
  severity: 'error' | 'warning';
  field: string;
  message: string;
}

export interface RowCheck {
  notes: RowNote[];
  /** True if the oracle reached the goal and the full reward. */
  proven: boolean;
  /** Tables that the goal reads; null if there is no goal, or it cannot be run. */
  goalReads: ReadonlySet<string> | null;
  /** Tables that the oracle's calls wrote. */
  written: ReadonlySet<string>;
}

/** Minimum reward of a task that is done. */
const FULL_REWARD = 1;

/** Checks one row: its seed and goal, the reward of doing nothing, and the result of its oracle. */
export async function checkRow(loaded: LoadedRow, { reward }: Pick<Bundle, 'reward'>): Promise<RowCheck> {
  const check = new RowChecker(loaded, reward);
  try {
    await check.run();
  } catch (error) {
    // Errors of SQL and rewards are caught where these run; an error that gets here comes from outside of the bundle.
    if (!isInfrastructureError(error)) throw error;
    check.error('', `could not be checked: ${(error as Error).message}`);
  }
  return check;
}

class RowChecker implements RowCheck {
  readonly notes: RowNote[] = [];
  proven = false;
  goalReads: ReadonlySet<string> | null = null;
  written: ReadonlySet<string> = new Set();

  constructor(
    private readonly loaded: LoadedRow,
    private readonly reward: Bundle['reward'],
  ) {}

  error(field: string, message: string): void {
    this.notes.push({ severity: 'error', field, message });
  }

  async run(): Promise<void> {
    const seeded = await this.seed();
    if (seeded === null) return;
    await this.tryGoal(seeded);
    await this.doNothing(seeded);
    await this.followOracle(seeded);
  }

  private warn(field: string, message: string): void {
    this.notes.push({ severity: 'warning', field, message });
  }

  private async seed(): Promise<Uint8Array | null> {
    const { row, seedFile } = this.loaded;
    let database: SqliteDatabase;
    try {
      database = await seedDatabase(row);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      const line = error.line === null ? '' : `line ${error.line}: `;
      this.error('seed_sql', `${seedFile === null ? '' : `${seedFile} `}${line}${error.message}`);
      return null;
    }
    try {
      for (const { pragma, line } of database.skipped) {
        const where = `${seedFile === null ? '' : `${seedFile} `}line ${line}`;
        this.warn('seed_sql', `${where}: PRAGMA ${pragma} is left out: it only tunes a file`);
      }
      const orphans = await database.fetchAll(
        'SELECT "table", parent, count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1, 2',
      );
      for (const { table, parent, rows } of orphans) {
        this.warn('seed_sql', `${rows} rows of ${table} refer to rows of ${parent} that are not there`);
      }
      return database.serialize();
    } finally {
      database.close();
    }
  }

  private async tryGoal(seeded: Uint8Array): Promise<void> {
    const holds = await this.goal(seeded);
    if (holds)
      this.warn('end_goal_sql', 'already holds in the seed, so an agent that does nothing reaches it');
  }

  /** Reports whether a database reaches the goal; null if there is no goal, or it cannot be run. */
  private async goal(database: Uint8Array): Promise<boolean | null> {
    const { end_goal_sql, id, now } = this.loaded.row;
    if (end_goal_sql === null) return null;
    const db = await SqliteDatabase.open(database, {
      now: Date.parse(now),
      seed: `${id}/reward`,
      readOnly: true,
    });
    try {
      const holds = await goalHolds(db, end_goal_sql);
      this.goalReads = db.touched.read;
      return holds;
    } catch (error) {
      if (!(error instanceof SqlError) && !(error instanceof TypeError)) throw error;
      this.error('end_goal_sql', error.message);
      return null;
    } finally {
      db.close();
    }
  }

  private async doNothing(seeded: Uint8Array): Promise<void> {
    const { row } = this.loaded;
    const messages = [...row.initial_messages, { role: 'assistant' as const, content: 'Done.' }];
    const score = await this.score(seeded, { messages, database: seeded });
    if (score !== null && score >= FULL_REWARD) {
      this.warn('', `an agent that does nothing gets the full reward (${score})`);
    }
  }

  /** Runs the reward. Notes an error and returns null if it fails. */
  private async score(
    seed: Uint8Array,
    end: Pick<OracleEnd, 'messages' | 'database'>,
    noteReason = false,
  ): Promise<number | null> {
    try {
      const { score, reason } = await runReward(this.reward, { row: this.loaded.row, seed, ...end });
      if (noteReason && score < FULL_REWARD) {
        this.error('oracle', `gets a reward of ${score}${reason === '' ? '' : `: ${reason}`}`);
      }
      return score;
    } catch (error) {
      if (!(error instanceof RewardError)) throw error;
      if (!this.notes.some(({ message }) => message === error.message)) this.error('', error.message);
      return null;
    }
  }

  private async followOracle(seeded: Uint8Array): Promise<void> {
    const { row } = this.loaded;
    if (row.oracle === null) return;
    const [end, again] = [await this.oracle(seeded), await this.oracle(seeded)];
    if (end === null || again === null) return;
    this.written = end.written;
    if (Buffer.compare(end.database, again.database) !== 0) {
      this.warn(
        'oracle',
        'comes to another database each time: tools must take random values from SQL and the time from `now`',
      );
    }
    if (row.oracle.length > row.max_turns) {
      this.warn('max_turns', `is ${row.max_turns}, and the oracle acts ${row.oracle.length} times`);
    }
    const holds = await this.goal(end.database);
    if (holds === false) this.error('oracle', 'does not reach end_goal_sql');
    const score = await this.score(seeded, end, true);
    this.proven = holds !== false && score !== null && score >= FULL_REWARD;
  }

  private async oracle(seeded: Uint8Array): Promise<OracleEnd | null> {
    const { row, registry } = this.loaded;
    try {
      return await runOracle(row, row.oracle ?? [], registry, seeded);
    } catch (error) {
      if (!(error instanceof OracleError)) throw error;
      const field = `oracle[${error.action}]`;
      if (!this.notes.some((note) => note.field === field)) this.error(field, error.message);
      return null;
    }
  }
}
