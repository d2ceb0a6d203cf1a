import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { dockerAddress } from '../../src/sandboxes/docker-daemon.js';
import { SandboxError } from '../../src/sandboxes/sandbox.js';

const home = mkdtempSync(join(tmpdir(), 'reprise-docker-home-'));
afterAll(() => rmSync(home, { recursive: true }));

const certificates = join(home, 'certificates');
mkdirSync(certificates);
for (const name of ['ca', 'cert', 'key']) writeFileSync(join(certificates, `${name}.pem`), name);

describe('where the Docker daemon is', () => {
  test.each([
    ['unix:///run/user/1000/docker.sock', { socketPath: '/run/user/1000/docker.sock' }],
    ['npipe:////./pipe/docker_engine', { socketPath: '//./pipe/docker_engine' }],
    ['tcp://10.1.2.3:2375', { protocol: 'http', host: '10.1.2.3', port: '2375' }],
    ['tcp://daemon.example.org', { protocol: 'http', host: 'daemon.example.org', port: 2375 }],
    ['daemon.example.org:4243', { protocol: 'http', host: 'daemon.example.org', port: '4243' }],
    ['tcp://daemon.example.org:2376', { protocol: 'https', host: 'daemon.example.org', port: '2376' }],
    [
      'ssh://me@daemon.example.org',
      { protocol: 'ssh', host: 'daemon.example.org', port: 22, username: 'me' },
    ],
  ])('is what DOCKER_HOST=%s says', (host, options) => {
    const address = dockerAddress({ DOCKER_HOST: host, HOME: home });
    expect(address.options).toMatchObject(options);
    expect(host).toContain(address.name);
  });

  test('is the usual socket where nothing is said, and the process that asks has no say', () => {
    process.env.DOCKER_HOST = 'tcp://not-this-one:1';
    try {
      expect(dockerAddress({ HOME: home }).options.socketPath).toMatch(/docker\.sock$/);
    } finally {
      delete process.env.DOCKER_HOST;
    }
  });

  test('is reached with the certificates of DOCKER_CERT_PATH', () => {
    const { options } = dockerAddress({
      DOCKER_HOST: 'tcp://daemon.example.org',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: certificates,
    });
    expect(options).toMatchObject({ protocol: 'https', port: 2376 });
    expect([options.ca, options.cert, options.key].map(String)).toEqual(['ca', 'cert', 'key']);
  });

  test('cannot be guessed from certificates that are missing, or from no address', () => {
    const missing = { DOCKER_HOST: 'tcp://a:2376', DOCKER_CERT_PATH: join(home, 'nowhere') };
    expect(() => dockerAddress(missing)).toThrow(/DOCKER_CERT_PATH: .*ca\.pem cannot be read/);
    expect(() => dockerAddress({ DOCKER_HOST: 'tcp://a b' })).toThrow(SandboxError);
  });
});
