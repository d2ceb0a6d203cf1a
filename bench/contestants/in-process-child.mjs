// node in-process-child.mjs CONFIG CALLS: runs a config in a plain loop and prints its metrics as JSON.
import { writeFile } from 'node:fs/promises';
import { loadConfig, runInProcess } from '../../dist/in-process/index.js';

const [config, callsPath] = process.argv.slice(2);
const { metrics, calls } = await runInProcess(loadConfig(config));
await writeFile(callsPath, calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
process.stdout.write(`${JSON.stringify(metrics)}\n`);
