import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

/** Packages that only some need: optional peers of this one, with what needs them. */
const OPTIONAL = {
  anthropic: { what: 'the provider anthropic', packages: ['@anthropic-ai/sdk@1'] },
  bedrock: { what: 'the provider bedrock', packages: ['@aws-sdk/client-bedrock-runtime@3'] },
  gemini: { what: 'the provider gemini', packages: ['@google/genai@2'] },
  s3: { what: 'an s3:// address', packages: ['@aws-sdk/client-s3@3', '@aws-sdk/lib-storage@3'] },
  arrow: { what: 'an Arrow file', packages: ['apache-arrow@21'] },
} as const;

type Optional = keyof typeof OPTIONAL;

/** True for a name of {@link missingPackage}, such as that of a provider with a client of its own. */
export function isOptional(name: string): name is Optional {
  return Object.hasOwn(OPTIONAL, name);
}

/** Every optional package with its major version, as `npm install` takes it. */
export const OPTIONAL_PACKAGES: readonly string[] = Object.values(OPTIONAL).flatMap(
  ({ packages }) => packages,
);

/** Returns a sentence that says what to install; null where nothing is missing. @param what needs the package */
export function missingPackage(name: Optional, what: string = OPTIONAL[name].what): string | null {
  const { packages } = OPTIONAL[name];
  const missing = packages.filter((one) => !isInstalled(one.slice(0, one.lastIndexOf('@'))));
  return missing.length === 0
    ? null
    : `${what} needs ${packages.length === 1 ? 'a package that is' : 'packages that are'} not installed: npm install ${packages.join(' ')}`;
}

function isInstalled(name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}
