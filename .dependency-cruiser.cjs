/**
 * The walls between the rooms of src/. Types may cross them (they vanish at build time); code may not.
 * A pure room does no I/O, so that the same class runs in a workflow, in an activity and in a plain loop.
 */
const PURE =
  '^src/(contracts|agents|memory|environments|grading|evolution|retrieval|replies|reports|judging|runtime|trajectories|statistics)/';
const ADAPTERS = '^src/(language-models|sandboxes|storage|datasets|databases)/';
const VENDORS =
  '^node_modules/(openai|@anthropic-ai|@google|@aws-sdk|@sqlite.org|dockerode|pino|piscina|commander|jiti|@temporalio)(/|$)';

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle means that two files are one.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'pure-rooms-have-no-adapters',
      comment:
        'Pure rooms and workflows reach the world through the interfaces of contracts/ and runtime/ports.ts.',
      severity: 'error',
      from: { path: [PURE, '^src/workflows/'] },
      to: {
        path: [ADAPTERS, '^src/(activities|bundles|user-code|workers|cli)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'pure-rooms-have-no-node',
      comment: 'A Node built-in has no place where a workflow may run.',
      severity: 'error',
      from: { path: [PURE, '^src/workflows/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pure-rooms-have-no-vendors',
      comment: 'Vendor SDKs live behind the adapters.',
      severity: 'error',
      from: { path: PURE },
      to: { path: VENDORS, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-grade-nothing',
      comment: 'Grading brings a maths library of megabytes: it runs behind an activity.',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: '^src/(environments|grading)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-use-the-workflow-sdk-only',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: {
        path: '^node_modules/',
        pathNot: '^node_modules/@temporalio/(workflow|common)(/|$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'replies-pass-their-reader',
      comment: 'A provider’s reply may hold thoughts: create.ts hands on a model whose replies were read.',
      severity: 'error',
      from: { pathNot: '^src/language-models/' },
      to: {
        path: '^src/language-models/(openai|anthropic|gemini|scripted|replay|simulated)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters-know-no-workflow',
      comment: 'cli → config → workflow → agent and environment → activity → adapter: never back.',
      severity: 'error',
      from: { path: ADAPTERS },
      to: { path: '^src/(activities|bundles|workflows|workers|cli|agents|environments)/' },
    },
    {
      name: 'activities-know-no-worker',
      severity: 'error',
      from: { path: '^src/activities/' },
      to: { path: '^src/(workflows|workers|cli)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      from: { pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'nothing-imports-the-plain-loop',
      comment: 'It is wiring, as workers/ is: an entry of the package, for tests and the bench.',
      severity: 'error',
      from: { pathNot: '^src/in-process/' },
      to: { path: '^src/in-process/' },
    },
    {
      name: 'the-plain-loop-knows-no-server',
      comment: 'It measures what durability costs, so it must not pay for any of it.',
      severity: 'error',
      from: { path: '^src/in-process/' },
      to: { path: '^(node_modules/@temporalio|src/workflows)/', reachable: true },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev', 'unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
