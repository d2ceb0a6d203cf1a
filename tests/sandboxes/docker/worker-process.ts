/** A worker that runs one endless program, to be killed: `jiti worker-process.ts`. Says `running` when it does. */
import { dockerSandbox } from '../../../src/sandboxes/docker-sandbox.js';
import { PATIENT, program } from '../limits.js';

const sandbox = dockerSandbox({ environment: process.env });
try {
  await sandbox.prepare();
  const ending = sandbox.run(program('while True: pass'), { limits: { ...PATIENT, timeout_sec: 600 } });
  console.log('running');
  await ending;
} catch (error) {
  console.log(`${(error as Error).name}: ${(error as Error).message}`);
}
