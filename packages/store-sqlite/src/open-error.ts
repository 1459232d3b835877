import { DefinitionError, errorMessage, HelixError } from '@helix-agents/core';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const SERVERS: readonly (readonly [RegExp, string])[] = [
  [
    /^postgres(?:ql)?:/i,
    'openPostgres(new pg.Pool({ connectionString })) of @helix-agents/store-postgres',
  ],
  [/^rediss?:/i, 'openRedis(new Redis(url)) of @helix-agents/store-redis'],
];

/** Refuses what is the address of a server. It is not said back: there may be a password in it. */
export function checkPath(path: unknown): void {
  if (typeof path !== 'string' || path === '') {
    throw new DefinitionError(
      "The path of an SQLite file is needed, such as './agents.db', or ':memory:'.",
    );
  }
  const server = SERVERS.find(([scheme]) => scheme.test(path));
  if (!server && !/^(?!file:)[a-z][\w+.-]+:\/\//i.test(path)) return;
  const remedy = server ? `open it with ${server[1]}` : 'name a file';
  throw new DefinitionError(
    `The path of an SQLite file is needed, and this is the address of a server; ${remedy}.`,
  );
}

/** Why a file cannot be opened as a database, with its whole path and what to do. */
export function openError(path: string, cause: unknown): HelixError {
  return new HelixError({
    code: 'store_open_failed',
    message: `Cannot open the SQLite file ${resolve(path)}: ${reasonOf(resolve(path), cause)}.`,
    cause,
  });
}

function reasonOf(path: string, cause: unknown): string {
  const folder = dirname(path);
  if (!existsSync(folder)) return `the folder ${folder} does not exist; create it first`;
  if (!existsSync(path) && !isAccessible(folder)) {
    return `this process may not create files in ${folder}; give it the right to, or name another folder`;
  }
  if (existsSync(path) && statSync(path).isDirectory()) return 'it is a folder; name a file in it';
  if (existsSync(path) && !isAccessible(path)) {
    return 'this process may not read and write it; give it the right to, or name another file';
  }
  const isOther = cause instanceof Error && Reflect.get(cause, 'errcode') === NOT_A_DATABASE;
  return isOther ? 'it is not an SQLite database; name another file' : errorMessage(cause);
}

const NOT_A_DATABASE = 26;

function isAccessible(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
