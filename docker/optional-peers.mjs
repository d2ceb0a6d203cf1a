// Usage: node docker/optional-peers.mjs
// Prints the optional peers in the versions of the lock file, for the image, which has all of them.
import { readFileSync } from 'node:fs';

const [{ peerDependencies }, { packages }] = ['package.json', 'package-lock.json'].map((name) =>
  JSON.parse(readFileSync(name, 'utf8')),
);
const names = Object.keys(peerDependencies);
console.log(names.map((name) => `${name}@${packages[`node_modules/${name}`].version}`).join(' '));
