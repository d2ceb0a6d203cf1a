import { lookup } from 'node:dns/promises';
import { failedPlace } from '../../../contracts/infrastructure-error.js';

/** Ports of addresses that name none. */
const PORTS: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
};
const URL_IN = /[a-z][a-z\d+.-]{0,20}:\/\/.+/i;
/** Maximum number of names that are looked up. */
const LOOKED_UP = 10;

/** Lists the hosts in a call's arguments, with the ports that each may be meant to be reached at. */
function placesIn(text: string): { host: string; ports: readonly string[] }[] {
  const words = text.replaceAll('\\/', '/').split(/[\s"'`\\<>(),;|]+/);
  const numbers = words.flatMap((word) => /\d+/.exec(word)?.[0] ?? []);
  return words.flatMap((word) => {
    const [url] = URL_IN.exec(word) ?? [];
    // A word without a dot is a host only where it is called as one.
    if (url === undefined && !/[.:]|^localhost$/i.test(word)) return [];
    const given = url ?? `http://${word}`;
    if (!URL.canParse(given)) return [];
    const { hostname, port, protocol } = new URL(given);
    const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
    const known = port !== '' ? port : url === undefined ? undefined : PORTS[protocol];
    return [{ host, ports: known === undefined ? [...Object.values(PORTS), ...numbers] : [known] }];
  });
}

/**
 * Reports whether an error is that of a connection to a place which the call's own arguments name: such a place is the
 * model's choice, and no service of the bundle.
 */
export async function failedAtNamedPlace(error: unknown, givenArguments: string): Promise<boolean> {
  const failed = failedPlace(error);
  if (failed === null) return false;
  const { host, port } = failed;
  const named = placesIn(givenArguments).filter(({ ports }) => port === null || ports.includes(port));
  const hosts = [...new Set(named.map((place) => place.host))];
  if (hosts.includes(host)) return true;
  if (port === null) return false;
  // Where a name was found, the error tells its address alone.
  const found = hosts.slice(0, LOOKED_UP).map((name) => lookup(name, { all: true }).catch(() => []));
  return (await Promise.all(found)).flat().some(({ address }) => address === host);
}
