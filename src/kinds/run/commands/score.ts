import type { Command } from 'commander';
import { RunLogs } from '../../../activities/run-log.js';
import { collect } from '../../../cli/collect.js';
import { examples } from '../../../cli/examples.js';
import { EXIT } from '../../../cli/exit.js';
import { resultText } from '../../../cli/experiment-text.js';
import { findExperiment, RESULTS_DIR, resultsFolders } from '../../../cli/find-experiment.js';
import { headedTable } from '../../../cli/format.js';
import { printJson, printText } from '../../../cli/print.js';
import { processLogger } from '../../../client/process-logger.js';
import { InvalidInputError } from '../../../config/errors.js';
import { plainText } from '../../../facts/text.js';
import { ownStarts } from '../../../language-models/pace.js';
import { openStore } from '../../../storage/open.js';
import { artifactKeys } from '../../../storage/paths.js';
import { CodePool } from '../../../user-code/code-pool.js';
import { GradingPool } from '../../../workers/grading-pool.js';
import { rescore } from '../activities/rescore.js';
import { RunContexts } from '../activities/run-context.js';
import { RUN_FACTS } from '../facts.js';
import { REDUCER, REDUCERS } from '../reducers.js';
import type { ScoreByOptions } from './score-by.js';

interface ScoreOptions extends Partial<ScoreByOptions> {
  resultsDir: string;
  by: string[];
  cluster?: string;
  reducer: string[];
  json?: boolean;
}

export function addScoreCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('score')
    .addHelpText(
      'after',
      examples('reprise score my-run', 'reprise score my-run --scorer f1 --scorer judge.yaml'),
    )
    .argument('<id>', 'the run’s id, or its folder')
    .option(...RESULTS_DIR)
    .option(
      '--by <field>',
      'list the figures by the values of a field, too (default: metrics.by)',
      collect,
      [],
    )
    .option(
      '--cluster <field>',
      'the field whose values are the clusters of intervals (default: metrics.cluster)',
    )
    .option('--reducer <name>', 'reduce epochs by it, too (default: metrics.reducers)', collect, [])
    .option(
      '--scorer <name>',
      'score its answers by another scorer: its type, its name in the run’s config, or a YAML file of scorers (repeatable)',
      collect,
      [],
    )
    .option('--set <field=value>', 'with --scorer: override a field, e.g. limits.max_cost_usd=1', collect, [])
    .option('--name <name>', 'with --scorer: the name of the run that scores (default: ID-scored)')
    .option('--detach', 'with --scorer: leave it to a worker in the background and return')
    .option('--json', 'for machines')
    .action(async (id: string, options: ScoreOptions) => {
      const store = await findExperiment(id, {
        folders: resultsFolders(options.resultsDir),
        file: artifactKeys.results,
        kind: 'run',
      });
      const { uri } = store;
      const { scorer = [], set = [], ...others } = options;
      if (scorer.length > 0) {
        // Only this way of scoring needs Temporal.
        const { scoreBy } = await import('./score-by.js');
        finish(await scoreBy(store, { ...others, scorer, set }));
        return;
      }
      const alone = (['name', 'detach'] as const).find((option) => options[option] !== undefined);
      if (set.length > 0 || alone !== undefined)
        throw new InvalidInputError(
          `--${alone ?? 'set'}: is for a score by another scorer; name it with --scorer`,
        );
      const grading = new GradingPool();
      const pool = new CodePool();
      const runs = new RunContexts({
        openStore: (address) => openStore(address),
        environment: process.env,
        compareSymbolically: grading.compare,
        logger: processLogger('warn'),
        runLogs: new RunLogs(),
        sandbox: () => Promise.reject(new Error('grading runs no programs')),
        userCode: { pool, compare: grading.compare },
        maxConcurrentExecutions: 1,
        maxConcurrentCalls: 1,
        namespaceId: async () => '',
        knownSearchAttributes: async () => [],
        notify: () => undefined,
        notices: { listener: () => () => undefined },
        grantStarts: (_model, rate) => ownStarts(rate),
      });
      try {
        const { by, cluster, reducer } = options;
        for (const one of reducer) {
          if (!REDUCER.test(one)) throw new InvalidInputError(`--reducer ${one}: must be ${REDUCERS}`);
        }
        const { metrics, before, changed } = await rescore(await runs.get(uri), {
          ...(by.length === 0 ? {} : { by }),
          ...(cluster === undefined ? {} : { cluster }),
          ...(reducer.length === 0 ? {} : { reducers: reducer }),
        });
        if (options.json) printJson({ artifacts: uri, before, metrics, changed });
        else {
          printText(
            `${resultText({ artifacts: '', metrics }, RUN_FACTS)}\nBefore: ${before.correct} correct (${plainText({ kind: 'rate', rate: before.accuracy })})`,
          );
          const rows = changed.map((row) => [
            row.id,
            `trial ${row.trial + 1}`,
            row.after === null ? 'now an error' : row.after ? 'now correct' : 'now wrong',
            row.message,
          ]);
          if (rows.length > 0) printText(headedTable(['sample', 'trial', 'grade', 'why'], rows));
          printText(`Written to ${uri}/rescored`);
        }
      } finally {
        await pool.close();
        await grading.close();
      }
      finish(EXIT.done);
    });
}
