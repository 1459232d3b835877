import type { SqlParam } from '../driver.ts';

export interface Where {
  readonly params: readonly SqlParam[];
  /** `clause` has one `?` per parameter. */
  add(clause: string, ...params: readonly SqlParam[]): void;
  text(): string;
}

/** Filters of a listing: one text for each set of filters, so that each can use its index. */
export function createWhere(): Where {
  const clauses: string[] = [];
  const params: SqlParam[] = [];
  return {
    params,
    add(clause, ...values) {
      clauses.push(clause);
      params.push(...values);
    },
    text: () => (clauses.length === 0 ? '' : `where ${clauses.join(' and ')}`),
  };
}
