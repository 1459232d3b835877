// `npm run model`: searches the state space of the protocol model (models/protocol). Needs Go; not part of `npm test`.
//   npm run model                                        both models, one adverse event per schedule
//   npm run model -- protocol [flags of the search]      one model; without flags every scenario with all its events
//   npm run model -- units -mutations
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'models', 'protocol');
const packages = { protocol: '.', units: './units' };

const [name, ...flags] = process.argv.slice(2);
if (name !== undefined && !(name in packages)) {
  console.error(
    `No model is named "${name}". Choose one of: ${Object.keys(packages).join(', ')}; its flags come after the name.`,
  );
  process.exit(1);
}

if (spawnSync('go', ['version']).error) {
  console.error(
    'The models are written in Go and no `go` command was found on the PATH. Install Go 1.24 or newer (https://go.dev/dl) and run this again.',
  );
  process.exit(1);
}

const searches = name
  ? [[packages[name], ...flags]]
  : Object.values(packages).map((path) => [path, '-faults', '1']);
for (const search of searches) {
  console.log(`go run ${search.join(' ')}`);
  const { status } = spawnSync('go', ['run', ...search], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
