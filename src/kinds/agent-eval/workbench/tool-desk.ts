import { InvalidInputError } from '../../../config/errors.js';
import { SqlError } from '../../../databases/sql-error.js';
import type { ToolOutcome } from '../bundles/contracts.js';
import { goalIn } from '../bundles/goal-in.js';
import type { Bundle } from '../bundles/load.js';
import type { LoadedRow } from '../bundles/row-loader.js';
import { runToolCall } from '../bundles/run-tool-call.js';
import { seededBytes } from './seeded-bytes.js';

/** State of the desk. */
export interface DeskState {
  row: string;
  rows: string[];
  /** Calls since the last reset. */
  calls: number;
  /** True if the row's goal holds; null if it has none, or it cannot be evaluated. */
  goal: boolean | null;
  /** Reason why the goal could not be evaluated. */
  goal_error?: string;
}

/** @throws InvalidInputError if the bundle has no such row. */
export function bundleRow(bundle: Bundle, id: string | null): LoadedRow {
  const found = id === null ? bundle.rows[0] : bundle.rows.find(({ row }) => row.id === id);
  if (found !== undefined) return found;
  const known = bundle.rows.map(({ row }) => row.id).join(', ');
  throw new InvalidInputError(`row: there is no row '${id}'; there are ${known}`, 'row');
}

/**
 * Tools of a bundle with a throw-away database, for trying them by hand. Calls are made one after another, each as in a
 * rollout.
 */
export class ToolDesk {
  private calls = 0;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly load: () => Promise<Bundle>,
    private bundle: Bundle,
    private current: LoadedRow,
    private bytes: Uint8Array,
  ) {}

  /**
   * @param load reads the bundle; called again at every reset, so that changed modules are used
   * @param row null for the first one
   * @throws InvalidInputError, or SqlError if the seed fails
   */
  static async open(load: () => Promise<Bundle>, row: string | null = null): Promise<ToolDesk> {
    const bundle = await load();
    const current = bundleRow(bundle, row);
    return new ToolDesk(load, bundle, current, await seededBytes(current.row));
  }

  get row(): LoadedRow {
    return this.current;
  }

  /** Seeds a fresh database, of the same row or another. @throws as {@link ToolDesk.open}; the desk stays as it is. */
  reset(row: string | null = null): Promise<DeskState> {
    return this.next(async () => {
      const bundle = await this.load();
      const current = bundleRow(bundle, row ?? this.current.row.id);
      this.bytes = await seededBytes(current.row);
      this.bundle = bundle;
      this.current = current;
      this.calls = 0;
      return this.stateNow();
    });
  }

  /** @param written the arguments as JSON text @throws InfrastructureError; the database is then unchanged. */
  call(name: string, written: string): Promise<ToolOutcome> {
    return this.next(async () => {
      const { row, registry } = this.current;
      const place = { row, seed: `${row.id}/desk/${this.calls + 1}` };
      const call = { name, arguments: written };
      const ran = await runToolCall(this.bytes, place, call, registry, { allowed: row.tools_allowed });
      this.bytes = ran.bytes ?? this.bytes;
      this.calls += 1;
      return ran.outcome;
    });
  }

  state(): Promise<DeskState> {
    return this.next(() => this.stateNow());
  }

  private async stateNow(): Promise<DeskState> {
    const state = {
      row: this.current.row.id,
      rows: this.bundle.rows.map(({ row }) => row.id),
      calls: this.calls,
    };
    try {
      const goal = await goalIn(this.bytes, this.current.row, () => seededBytes(this.current.row));
      return { ...state, goal };
    } catch (error) {
      if (!(error instanceof SqlError) && !(error instanceof TypeError)) throw error;
      return { ...state, goal: null, goal_error: error.message };
    }
  }

  private next<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
