import { lookup } from 'node:dns/promises';

/** End of Node.js's message for a place that is not there: `connect ECONNREFUSED ::1:80`, `getaddrinfo ENOTFOUND a.b`. */
const NOT_THERE = /\b(?:ECONNREFUSED|EHOSTUNREACH|ENOTFOUND) (\S+?)(?::(\d+))?(?: - Local.*)?$/;
/** Ports of addresses that name none. */
const WEB = ['80', '443'];
/** Maximum number of names that are looked up. */
const LOOKED_UP = 10;

/** Lists the hosts that a text names. The server of a mail address is none, nor is a number, or a word without a dot. */
function hostsIn(text: string): string[] {
  const words = text.split(/[^\w.:@[\]-]+/);
  const named = words.filter((word) => /\.\D|\..*\.|^localhost|^\[/.test(word) && !/^[^:]*@/.test(word));
  return [...new Set(named.map((word) => word.replace(/^.*@|:\d*$|[[\]]/g, '').replace(/\.$/, '')))];
}

/**
 * Reports whether a failure is that of a place which is not there and which the call's own arguments name: such a place
 * is the model's choice, and no service of the bundle, unless the row names it as well.
 * @param message of the failure
 */
export async function isOfNamedPlace(
  message: string,
  call: { arguments: string; row?: unknown },
): Promise<boolean> {
  const [, host, port] = NOT_THERE.exec(message) ?? [];
  if (host === undefined) return false;
  const given = call.arguments.toLowerCase();
  const known = JSON.stringify(call.row ?? '').toLowerCase();
  const namesPort = (text: string) =>
    port === undefined || WEB.includes(port) || new RegExp(`\\b${port}\\b`).test(text);
  if (!namesPort(given)) return false;
  const hosts = hostsIn(given).filter((name) => !(known.includes(name) && namesPort(known)));
  if (hosts.includes(host.toLowerCase())) return true;
  if (port === undefined) return false;
  // Where a name was found, the error tells its address alone.
  const found = hosts.slice(0, LOOKED_UP).map((name) => lookup(name, { all: true }).catch(() => []));
  return (await Promise.all(found)).flat().some(({ address }) => address === host);
}
