import { writeFile } from 'node:fs/promises';
import { buildBundle, PREBUILT_BUNDLE } from './bundle.js';

const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/** Leaves the texts of the sources out of a bundle's map: places in a stack need none, and every worker reads the map. */
function withoutSources(code: string): string {
  const end = code.lastIndexOf(MAP);
  if (end < 0) throw new Error(`the bundle of workflows has no map that begins with ${MAP}`);
  const { sourcesContent: _texts, ...map } = JSON.parse(
    Buffer.from(code.slice(end + MAP.length), 'base64').toString(),
  );
  return code.slice(0, end + MAP.length) + Buffer.from(JSON.stringify(map)).toString('base64');
}

// A step of `npm run build`: bundling takes seconds, which a worker should not have to spend.
await writeFile(PREBUILT_BUNDLE, withoutSources(await buildBundle()));
