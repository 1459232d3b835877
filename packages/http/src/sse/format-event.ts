/** An event as text: its data as JSON, and its `id` to continue after where it has one. */
export function formatEvent(data: unknown, id?: string | number): string {
  const text = `data: ${JSON.stringify(data)}\n\n`;
  return id === undefined ? text : `id: ${id}\n${text}`;
}

/** The same with a name, for what is no plain message. */
export function formatNamedEvent(event: string, data: unknown): string {
  return `event: ${event}\n${formatEvent(data)}`;
}
