/**
 * The walls between the rooms of src/. Types may cross them (they vanish at build time); code may not.
 * A pure room does no I/O, so that the same class runs in a workflow, in an activity and in a plain loop.
 */
const PURE = [
  '^src/(contracts|facts|agents|memory|environments|grading|retrieval|replies|reports|runtime|trajectories|statistics)/',
  '^src/kinds/[a-z-]+/(evolution|judging|rollouts|lane)/',
  '^src/kinds/[a-z-]+/(facts|metrics|report|trajectory)[.]tsx?$',
];
/** What runs inside of workflows: the engine, its kinds, and what is put into users' agents there. */
const IN_WORKFLOWS = '^src/(workflows|kinds/[a-z-]+/workflow)/|^src/kinds/workflows[.]ts$';
/** What works with experiments of any kind: it knows a kind by `kind.ts`, the registry and its workflows alone. */
const ENGINE =
  '^src/(activities|cli|client|config|contracts|facts|runtime|statistics|storage|user-code|workers|workflows|agents|memory|environments|grading|retrieval|replies|reports|trajectories|language-models|datasets|sandboxes|databases|in-process)/';
/** Entries of the package: they hand out what is of a kind. */
const ENTRIES = '^src/(index|(client|in-process)/index)[.]ts$';
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
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'pure-rooms-have-no-adapters',
      comment:
        'Pure rooms and workflows reach the world through the interfaces of contracts/ and runtime/ports.ts.',
      severity: 'error',
      from: { path: [...PURE, IN_WORKFLOWS] },
      to: {
        path: [
          ADAPTERS,
          '^src/(activities|user-code|workers|cli)/',
          '^src/kinds/[a-z-]+/(activities|bundles|commands)/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'pure-rooms-have-no-node',
      comment: 'A Node built-in has no place where a workflow may run.',
      severity: 'error',
      from: { path: [...PURE, IN_WORKFLOWS] },
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
      from: { path: '^src/workflows/|^src/kinds/[a-z-]+/workflow/' },
      to: { path: '^src/(environments|grading)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-use-the-workflow-sdk-only',
      severity: 'error',
      from: { path: IN_WORKFLOWS },
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
      to: { path: '^src/(activities|workflows|workers|cli|agents|environments)/|^src/kinds/[a-z-]+/' },
    },
    {
      name: 'activities-know-no-worker',
      severity: 'error',
      from: { path: '^src/activities/|^src/kinds/[a-z-]+/activities/' },
      to: {
        path: '^src/(workflows|workers|client|cli)/|^src/kinds/[a-z-]+/((kind|command)[.]ts$|workflow/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'user-code-knows-no-activity',
      comment: 'What runs code of users is handed data, and hands data back.',
      severity: 'error',
      from: { path: '^src/user-code/' },
      to: {
        path: '^src/(activities|workflows|workers|cli)/',
        dependencyTypesNot: ['type-only'],
        pathNot: '^src/workflows/sdk[.]ts$',
      },
    },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      // How a kind is shown lies there until it has a folder of its own for it.
      from: { pathNot: '^src/(cli|kinds)/' },
      to: { path: '^src/cli/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-engine-knows-no-kind',
      comment: 'What differs between kinds of experiment is below kinds/, a folder each.',
      severity: 'error',
      from: { path: ENGINE, pathNot: ENTRIES },
      to: { path: '^src/kinds/', pathNot: '^src/kinds/(kind|registry|workflows)[.]ts$' },
    },
    {
      name: 'nothing-imports-the-plain-loop',
      comment: 'It is wiring, as workers/ is, which run bundles of units by it, and an entry of the package.',
      severity: 'error',
      from: { pathNot: '^src/(in-process/|workers/run-units[.]ts$|kinds/[a-z-]+/in-process[.]ts$)' },
      to: { path: '^src/in-process/' },
    },
    {
      name: 'the-plain-loop-knows-no-server',
      comment:
        'It runs workflows and activities in this process; what it loads, `in-process/loaded-modules` asserts.',
      severity: 'error',
      from: { path: '^src/in-process/|^src/kinds/[a-z-]+/in-process[.]ts$' },
      to: { path: '^node_modules/@temporalio/(client|worker|core-bridge|testing)/' },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      // The build bundles the libraries that pages are drawn with (scripts/vendor.mjs).
      from: { path: '^src/', pathNot: '^src/reports/libraries[.]ts$' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev', 'unknown'],
        // Optional peers are installed here for the tests; the maths library is copied beside the built code.
        dependencyTypesNot: ['type-only', 'npm-peer'],
        pathNot: '^node_modules/@cortex-js/',
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
