/** An event as text: its data as JSON, and its `id`, if it has one, after which a reader can continue. */
export function formatEvent(data: unknown, id?: string | number): string {
  const text = `data: ${JSON.stringify(data)}\n\n`;
  return id === undefined ? text : `id: ${id}\n${text}`;
}

/** The same with an event name, for everything but plain messages. */
export function formatNamedEvent(event: string, data: unknown): string {
  return `event: ${event}\n${formatEvent(data)}`;
}
