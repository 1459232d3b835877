// `npm run build`: what is published. tsc writes the declarations, one file per source file, with the comments; rolldown
// writes the JavaScript, one file per entry of `exports` and one for what several entries of a package share.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { leanCode } from './lean-code.mjs';
import { withoutEffects } from './without-effects.mjs';

const root = join(import.meta.dirname, '..');
const SOURCE_CONDITION = '@helix-agents/source';

const tsc = join(root, 'node_modules', '.bin', 'tsc');
const declarations = spawnSync(tsc, ['--build', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (declarations.status === 0) await Promise.all(publishedPackages().map(bundle));
else process.exitCode = 1;

function publishedPackages() {
  return globSync('packages/*/package.json', { cwd: root })
    .map((file) => ({
      folder: join(root, dirname(file)),
      manifest: JSON.parse(readFileSync(join(root, file), 'utf8')),
    }))
    .filter(({ manifest }) => !manifest.private);
}

async function bundle({ folder, manifest }) {
  const bundled = await rolldown({
    cwd: folder,
    input: entriesOf(manifest),
    // Other packages are the ones that are installed, also those of this repository.
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    platform: 'neutral',
    tsconfig: join(root, 'tsconfig.base.json'),
    // What only `index` adds to another entry is imported from there, not from a third file.
    preserveEntrySignatures: 'allow-extension',
    checks: { bundlerTimings: false },
  });
  const { output } = await bundled.write({
    dir: 'dist',
    format: 'es',
    chunkFileNames: '[name].js',
    comments: false,
    minify: false,
    plugins: [leanCode(), withoutEffects()],
    sourcemap: true,
    // The sources are in the package.
    sourcemapExcludeSources: true,
  });
  await bundled.close();
  const written = new Set(output.map(({ fileName }) => join('dist', fileName)));
  for (const file of globSync('dist/**/*.js{,.map}', { cwd: folder })) {
    if (!written.has(file)) rmSync(join(folder, file));
  }
}

/** Output file without its ending -> source file, for each entry that has both. */
function entriesOf(manifest) {
  const targets = Object.values(manifest.exports).filter((target) => typeof target === 'object');
  return Object.fromEntries(
    targets.map((target) => [
      relative('dist', target.default).replace(/\.js$/, ''),
      target[SOURCE_CONDITION],
    ]),
  );
}
