/** Webpack's loader for the pure rooms of the workflow bundle: each exported function may be told to throw. */
module.exports = function throwing(source) {
  const [, place] = /dist\/(.*)\.js$/.exec(this.resourcePath);
  return source.replace(
    /^export (?:async )?function\*? (\w+)\(.*\) \{$/gm,
    (head, name) => `${head}\n globalThis.__mayThrow?.('${place}.${name}');`,
  );
};
