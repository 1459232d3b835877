import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium. Where there is none and this is Debian, its package is installed. */
export function findChromium(): string {
  const found = present() ?? installed();
  if (found) return found;
  throw new Error(
    'No Chromium found. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH.',
  );
}

function present(): string | undefined {
  return PLACES.find((path) => path !== undefined && existsSync(path));
}

function installed(): string | undefined {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: 'ignore', env: environment, timeout: 300_000 } as const;
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], options);
  return present();
}
