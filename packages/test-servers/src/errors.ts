/** A server that a suite needs cannot be had. The suite fails with it: it never passes silently. */
export class ServerUnavailableError extends Error {
  override readonly name: string = 'ServerUnavailableError';
  readonly reason: string;

  constructor(server: string, reason: string, options?: ErrorOptions) {
    super(
      `the tests need ${server}, which cannot be had: ${reason}\n` +
        `To run without it, say so by name: TEST_WITHOUT=${server} npm test`,
      options,
    );
    this.reason = reason;
  }
}

/** Whether the person who runs the tests has switched this server's suites off by name. */
export function isSwitchedOff(server: string): boolean {
  return (process.env['TEST_WITHOUT'] ?? '').split(',').includes(server);
}
