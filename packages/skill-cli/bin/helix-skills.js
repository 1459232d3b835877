#!/usr/bin/env node
import { runHelixSkills } from '@helix-agents/skill-cli';

const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => ended.abort(new Error(`ended by ${signal}`)));
}

// Whoever reads may stop early, as in `| head`: the work goes on without a reader.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runHelixSkills(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  signal: ended.signal,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
