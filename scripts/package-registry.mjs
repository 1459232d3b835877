// A registry on loopback that has the packed packages and nothing else. npm and pnpm ask it for their scope.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Each manifest names its `tarball` in `folder`. Returns the registry's URL and how to end it. */
export async function startRegistry(folder, manifests) {
  const tarballs = new Map(
    manifests.map(({ tarball }) => [`/${tarball}`, readFileSync(join(folder, tarball))]),
  );
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    const manifest = manifests.find(({ name }) => path === `/${name}`);
    const bytes = manifest ? JSON.stringify(pageOf(manifest)) : tarballs.get(path);
    if (bytes === undefined) response.statusCode = 404;
    response.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;

  function pageOf({ tarball, ...manifest }) {
    const { name, version } = manifest;
    const integrity = createHash('sha512')
      .update(tarballs.get(`/${tarball}`))
      .digest('base64');
    const dist = { tarball: `${url}/${tarball}`, integrity: `sha512-${integrity}` };
    return {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
    };
  }

  return { url, close: () => server.close() };
}
