import { runBench } from './bench.js';
import { parseOptions, USAGE } from './options.js';
import { missingBuild, RESULTS } from './paths.js';
import { reportOf, writeReport } from './report.js';

/** `npm run bench`: exit code 0 where everything was measured, whatever the figures are. */
async function main(argv: readonly string[]): Promise<number> {
  const say = (message: string) => void process.stderr.write(`${message}\n`);
  if (argv.includes('--help')) {
    say(USAGE);
    return 0;
  }
  const problem = missingBuild();
  if (problem !== null) {
    say(problem);
    return 2;
  }
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(argv, RESULTS);
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const result = await runBench(options, say);
  process.stdout.write(`\n${reportOf(result)}\n`);
  say(`Written to ${await writeReport(result, options.output)}`);
  return result.failures.length > 0 || result.contests.some(({ error }) => error !== null) ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
