import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  workspaces: {
    '.': { entry: ['scripts/*.mjs', 'bench/*.ts'], project: ['{scripts,bench}/**/*.{mjs,ts}'] },
    'packages/*': { entry: ['test/**/*.test.ts'], project: ['{src,test}/**/*.ts'] },
    'examples/*': { entry: ['test/**/*.test.ts'], project: ['{src,test}/**/*.ts'] },
  },
  // A type that only its own file uses may still be part of a signature.
  ignoreExportsUsedInFile: true,
};

export default config;
