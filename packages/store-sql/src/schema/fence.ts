import { StoreSchemaError } from '@helix-agents/core';
import type { Dialect } from '../dialect.ts';
import type { Statement } from '../driver.ts';

/**
 * Part of every write: code that was running when a newer release raised the schema must not write what that release no longer
 * understands. The version is looked at in the write itself, so that it costs no request and nothing comes in between. A newer version
 * violates a constraint of its table, which fails the whole write: no version can be null, or be there twice.
 */
export interface Fence {
  /** The statements with the fence. Their results come first, in order. */
  around<Param>(statements: readonly Statement<Param>[]): readonly Statement<Param>[];
  /** The error of a write that met a newer version as what it is; any other as it came. */
  explain(error: unknown): unknown;
}

export function createFence({ writesInOneStatement }: Dialect, version: number): Fence {
  const part = `schema_fence as (update __agents_migrations set version = null where version > ${version})`;
  const last = {
    sql: `insert into __agents_migrations (version)
    select version from __agents_migrations where version > ${version}`,
    params: [],
  };
  const texts = new Map<string, string>();
  const fenced = (sql: string): string => {
    const known = texts.get(sql) ?? withPart(sql, part);
    texts.set(sql, known);
    return known;
  };
  return {
    around: (statements) =>
      writesInOneStatement
        ? statements.map((one) => ({ ...one, sql: fenced(one.sql) }))
        : [...statements, last],
    explain(error) {
      const met =
        error instanceof Error &&
        /constraint.*__agents_migrations|__agents_migrations.*constraint/is.test(error.message);
      if (!met) return error;
      return new StoreSchemaError(
        `a newer release has migrated the database while this process ran; this code knows schema version ${version} ` +
          `and writes no more: update the code`,
        error,
      );
    },
  };
}

/** A further part of a statement. One that changes rows is carried out also if nothing refers to it. */
function withPart(sql: string, part: string): string {
  const [start = ''] = /^\s*with\s+(recursive\s+)?/i.exec(sql) ?? [];
  return start === '' ? `with ${part} ${sql}` : `${start}${part}, ${sql.slice(start.length)}`;
}
