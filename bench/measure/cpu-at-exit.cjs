// Preloaded into a measured command: writes what its process, threads included, has used of the processor in seconds.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(process.env.BENCH_CPU_FILE, String((user + system) / 1e6));
  });
}
