/** Rows in ascending order of a unique number. Appending takes constant time. */
export class OrderedRows<T> {
  readonly #orderOf: (row: T) => number;
  readonly #rows: T[] = [];

  constructor(orderOf: (row: T) => number) {
    this.#orderOf = orderOf;
  }

  has(order: number): boolean {
    const row = this.#rows[this.#firstAfter(order) - 1];
    return row !== undefined && this.#orderOf(row) === order;
  }

  add(row: T): void {
    const place = this.#firstAfter(this.#orderOf(row));
    if (place === this.#rows.length) this.#rows.push(row);
    else this.#rows.splice(place, 0, row);
  }

  /** Rows with a greater number, ascending. */
  after(order: number, limit: number = Infinity): T[] {
    const start = this.#firstAfter(order);
    return this.#rows.slice(start, start + limit);
  }

  /** Rows with a smaller number, descending. */
  before(order: number, limit: number = Infinity): T[] {
    let end = this.#firstAfter(order);
    if (this.has(order)) end -= 1;
    return this.#rows.slice(Math.max(0, end - limit), end).reverse();
  }

  dropAfter(order: number): void {
    this.#rows.length = this.#firstAfter(order);
  }

  #firstAfter(order: number): number {
    let low = 0;
    let high = this.#rows.length;
    const last = this.#rows[high - 1];
    if (last === undefined || this.#orderOf(last) <= order) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#orderOf(this.#rows[middle] as T) <= order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
