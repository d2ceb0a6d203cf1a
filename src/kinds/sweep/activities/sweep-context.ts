import type { Logger } from 'pino';
import { heartbeating } from '../../../activities/attempt-journal.js';
import { ContextCache } from '../../../activities/context-cache.js';
import type { WorkerDependencies } from '../../../activities/dependencies.js';
import { storeOfRun } from '../../../activities/owners.js';
import { storedConfig } from '../../../activities/stored-config.js';
import type { ArtifactStore } from '../../../storage/artifact-store.js';
import { readableJson } from '../../../storage/json-lines.js';
import type { Kind } from '../../kind.js';
import { cellsOf, configOfCell, kindOfCells } from '../cells.js';
import type { BeginCellInput, BegunCell, EndCellInput, EndedCell, SweepCell } from '../contracts.js';
import { cellKey } from '../paths.js';
import type { SweepConfig } from '../schema.js';

/** State that a worker holds of one sweep. */
export class SweepContext {
  readonly cells: readonly SweepCell[];

  constructor(
    readonly store: ArtifactStore,
    readonly config: SweepConfig,
    readonly kind: Kind,
    private readonly dependencies: WorkerDependencies,
  ) {
    this.cells = cellsOf(config, this.experiment);
  }

  /** Name of the sweep, which is its folder's name. */
  get experiment(): string {
    return this.store.uri.slice(this.store.uri.lastIndexOf('/') + 1);
  }

  log(component: string): Logger {
    return this.dependencies.runLogs.for(this.store, this.config.output.log_level, component);
  }

  /** Returns the config of a cell, and the ID of its workflow. */
  begun(cell: SweepCell) {
    const config = configOfCell(this.kind, this.config, cell, this.store.uri);
    const [id] = this.kind.ids(config);
    return { config, workflow_id: id ?? cell.name };
  }
}

const SWEEPS_IN_MEMORY = 8;

/** Cache of the sweeps that a worker used most recently. */
export class SweepContexts extends ContextCache<SweepContext> {
  constructor(private readonly dependencies: WorkerDependencies) {
    super(SWEEPS_IN_MEMORY);
  }

  protected override async open(run: string): Promise<SweepContext> {
    const store = storeOfRun(this.dependencies.openStore, run);
    const config = await storedConfig<SweepConfig>(store);
    return new SweepContext(store, config, await kindOfCells(config), this.dependencies);
  }
}

/** Returns a cell of the plan. */
function cellAt({ cells }: SweepContext, index: number): SweepCell {
  const cell = cells[index];
  if (cell === undefined) throw new Error(`the sweep has no cell ${index}`);
  return cell;
}

/** Creates the activity that returns the input of a cell's workflow, with its share of the limits. */
export function createBeginCell(contexts: SweepContexts) {
  return ({ run, cell: index, limits }: BeginCellInput): Promise<BegunCell> =>
    heartbeating(async () => {
      const context = await contexts.get(run);
      const cell = cellAt(context, index);
      const { config, workflow_id } = context.begun(cell);
      context.log('experiment').info({ cell: cell.name, settings: cell.settings, limits }, 'cell begins');
      return { workflow_id, input: JSON.parse(JSON.stringify({ ...config, limits })) };
    });
}

/** Creates the activity that records how a cell ended. */
export function createEndCell(contexts: SweepContexts) {
  return ({ run, cell: index, ended }: EndCellInput): Promise<void> =>
    heartbeating(async () => {
      const context = await contexts.get(run);
      const { name } = cellAt(context, index);
      await context.store.write(cellKey(index), readableJson(ended satisfies EndedCell));
      context.log('experiment').info({ cell: name, ...ended }, 'cell ended');
    });
}
