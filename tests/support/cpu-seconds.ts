/** The seconds of CPU time that an action takes, whatever else the machine does meanwhile. */
export async function cpuSeconds(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
