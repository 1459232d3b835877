import { defineConfig, type OxlintConfig, type OxlintOverride } from 'oxlint';

type Rules = NonNullable<OxlintOverride['rules']>;

/**
 * Which workspace packages the source of a package may import. The first matching row wins. Tests
 * may import any package, by its public entry.
 */
const mayImport: readonly { packages: string; allowed: readonly string[] }[] = [
  { packages: 'core', allowed: [] },
  { packages: 'store-sql', allowed: ['core'] },
  { packages: 'store-*', allowed: ['core', 'store-sql'] },
  { packages: 'runtime-cloudflare', allowed: ['core', 'store-cloudflare'] },
  { packages: 'runtime-*', allowed: ['core'] },
  { packages: 'testing', allowed: ['core'] },
  {
    packages: 'test-processes',
    allowed: ['agent-server', 'core', 'runtime-js', 'store-memory', 'test-servers', 'testing'],
  },
  {
    packages: 'sdk',
    allowed: ['core', 'llm-vercel', 'store-memory', 'store-sqlite', 'runtime-js'],
  },
  { packages: 'http', allowed: ['core'] },
  { packages: 'agent-server', allowed: ['core', 'http'] },
  { packages: 'ai-sdk', allowed: ['core', 'http'] },
  { packages: 'cli', allowed: ['*'] },
  { packages: '*', allowed: ['core'] },
];

const noDeepImports = {
  group: ['@helix-agents/*/src', '@helix-agents/*/src/**', '@helix-agents/*/dist/**'],
  message: 'Import the public entry of a package, never a file inside it.',
};

const noRelativeReach = {
  regex: '^(\\.\\./)+[^./][^/]*/(src|dist|test)/',
  message: 'Import another package by its name.',
};

const noNodeInCore = {
  regex: '^(node:|(buffer|child_process|crypto|events|fs|http|https|net|os|path|stream|util)(/|$))',
  message: 'core runs in Workers and sandboxes too: web APIs only.',
};

/** Rule 10: time, ids and chance are arguments. */
const timeIdsAndChance: Rules = {
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval', 'setImmediate', 'performance', 'process', 'Buffer'].map(
      (name) => ({ name, message: 'Rule 10: time, ids and chance come from the host.' }),
    ),
  ],
  'no-restricted-properties': [
    'error',
    ...[
      { object: 'Date', property: 'now' },
      { object: 'globalThis', property: 'setTimeout' },
      { object: 'Math', property: 'random' },
      { object: 'crypto', property: 'randomUUID' },
      { object: 'crypto', property: 'getRandomValues' },
    ].map((access) => ({
      ...access,
      message: 'Rule 10: time, ids and chance come from the host.',
    })),
  ],
};

/** The loop runs where nothing but the ES language exists. */
const languageOnly: Rules = {
  'no-restricted-globals': [
    'error',
    ...[
      'AbortController',
      'AbortSignal',
      'Buffer',
      'Date',
      'ReadableStream',
      'TextDecoder',
      'TextEncoder',
      'URL',
      'clearTimeout',
      'console',
      'crypto',
      'fetch',
      'performance',
      'process',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
      'setTimeout',
      'structuredClone',
    ].map((name) => ({ name, message: 'The loop uses the ES language alone.' })),
  ],
};

const config: OxlintConfig = defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['**/dist/**', '**/fixtures/**', 'api/**'],
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'prefer-const': 'error',
    'no-console': 'off',
    'no-var': 'error',
    // Rule 11: a file is one idea.
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 80 }],
    'max-params': ['error', { max: 5 }],
    complexity: ['error', { max: 15 }],
    'import/no-cycle': 'error',
    'no-restricted-imports': ['error', { patterns: [noDeepImports, noRelativeReach] }],
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    // Rule 6: switches are exhaustive without `default`.
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false },
    ],
  },
  overrides: [
    ...mayImport.toReversed().map(importRule),
    {
      files: ['packages/*/src/**'],
      excludeFiles: ['packages/cli/**'],
      rules: { 'no-console': 'error' },
    },
    {
      files: ['packages/*/src/**'],
      excludeFiles: ['packages/testing/**'],
      rules: {
        'max-lines': ['error', { max: 300 }],
        'max-lines-per-function': ['error', { max: 60 }],
      },
    },
    {
      files: ['packages/core/src/engine/**', 'packages/core/src/loop/**'],
      rules: { 'max-lines': ['error', { max: 250 }] },
    },
    {
      files: ['packages/core/src/engine/**'],
      rules: timeIdsAndChance,
    },
    {
      files: ['packages/core/src/loop.ts', 'packages/core/src/loop/**'],
      rules: languageOnly,
    },
    {
      files: ['**/test/**', 'packages/testing/src/**', 'packages/test-processes/src/**'],
      rules: { 'max-lines-per-function': 'off' },
    },
    {
      files: ['**/test/**', 'packages/test-processes/src/**'],
      rules: { 'typescript/no-non-null-assertion': 'off' },
    },
    {
      files: ['scripts/**'],
      rules: { 'typescript/no-floating-promises': 'off' },
    },
  ],
});

export default config;

function importRule(row: (typeof mayImport)[number]): OxlintOverride {
  const noOtherPackages = {
    group: ['@helix-agents/*', ...row.allowed.map((name) => `!@helix-agents/${name}`)],
    message:
      row.allowed.length === 0
        ? `${row.packages} imports no workspace package.`
        : `${row.packages} may import only: ${row.allowed.join(', ')}.`,
  };
  const patterns = [noDeepImports, noRelativeReach, noOtherPackages];
  if (row.packages === 'core') patterns.push(noNodeInCore);
  return {
    files: [`packages/${row.packages}/src/**`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}
