import { cpus } from 'node:os';
import { cpuSecondsOf } from './process-usage.js';

/** CPU seconds that all cores have been busy since the machine started. */
function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
}

/**
 * Tells how busy others keep the machine while something is measured: what all cores did, less what the mock server
 * and this process did. The contestant's own share is taken off by the caller.
 */
export class MachineWatch {
  private constructor(
    private readonly busy: number,
    private readonly bench: number,
    private readonly mock: number,
    private readonly mockPid: number,
  ) {}

  static async start(mockPid: number): Promise<MachineWatch> {
    const { user, system } = process.cpuUsage();
    return new MachineWatch(
      busySeconds(),
      (user + system) / 1e6,
      (await cpuSecondsOf(mockPid)) ?? 0,
      mockPid,
    );
  }

  /** CPU seconds of everyone but bench and mock since the start. */
  async others(): Promise<number> {
    const { user, system } = process.cpuUsage();
    const mock = ((await cpuSecondsOf(this.mockPid)) ?? 0) - this.mock;
    return busySeconds() - this.busy - ((user + system) / 1e6 - this.bench) - mock;
  }
}
