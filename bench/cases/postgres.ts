import type { BenchCase } from '../lib/measure.ts';
import { postgresPlace } from '../lib/postgres.ts';
import { serverCase } from '../lib/server-case.ts';

/** Postgres on this machine: as it should be run, without waiting for the disk, and behind a pooler that takes no names. */
export const postgres: BenchCase = serverCase('postgres', [
  () => postgresPlace({ name: 'postgres', prepared: true, synchronousCommit: 'on' }),
  () => postgresPlace({ name: 'postgres commit off', prepared: true, synchronousCommit: 'off' }),
  () => postgresPlace({ name: 'postgres unnamed', prepared: false, synchronousCommit: 'on' }),
]);
