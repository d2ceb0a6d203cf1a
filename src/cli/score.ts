import type { Command } from 'commander';
import { rescore } from '../activities/rescore.js';
import { RunContexts } from '../activities/run-context.js';
import { RunLogs } from '../activities/run-log.js';
import { ownStarts } from '../language-models/pace.js';
import { openStore } from '../storage/open.js';
import { artifactKeys } from '../storage/paths.js';
import { EnvironmentPool } from '../workers/environment-pool.js';
import { GradingPool } from '../workers/grading-pool.js';
import { EXIT } from './exit.js';
import { RESULTS_FOLDERS } from './export.js';
import { findExperiment } from './find-experiment.js';
import { headedTable, metricsTable, percent } from './format.js';
import { processLogger } from './logger.js';
import { printJson, printText } from './print.js';

export function addScoreCommand(program: Command, finish: (code: number) => void): void {
  program
    .command('score')
    .description('grade a finished run again, without a model call')
    .argument('<id>', 'the run’s id, or its folder')
    .option('--results-dir <folder>', 'where runs are kept', RESULTS_FOLDERS[0])
    .option('--json', 'for machines')
    .action(async (id: string, options: { resultsDir: string; json?: boolean }) => {
      const { uri } = await findExperiment(id, {
        folders: [options.resultsDir],
        file: artifactKeys.results,
        kind: 'run',
      });
      const grading = new GradingPool();
      const environments = new EnvironmentPool({ compareSymbolically: grading.compare });
      const runs = new RunContexts({
        openStore: (address) => openStore(address),
        environment: process.env,
        compareSymbolically: grading.compare,
        logger: processLogger('warn'),
        runLogs: new RunLogs(),
        sandbox: () => Promise.reject(new Error('grading runs no programs')),
        environmentCode: () => environments.code(),
        tryAgent: async () => undefined,
        bundleCode: () => {
          throw new Error('grading runs no bundle');
        },
        maxConcurrentExecutions: 1,
        maxConcurrentCalls: 1,
        namespaceId: async () => '',
        knownSearchAttributes: async () => [],
        notify: () => undefined,
        news: { listener: () => () => undefined },
        leaseStarts: (_model, rate) => ownStarts(rate),
      });
      try {
        const { metrics, before, changed } = await rescore(await runs.get(uri));
        if (options.json) printJson({ artifacts: uri, before, metrics, changed });
        else {
          printText(
            `${metricsTable(metrics)}\nBefore: ${before.correct} correct (${percent(before.accuracy)})`,
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
        await environments.close();
        await grading.close();
      }
      finish(EXIT.done);
    });
}
