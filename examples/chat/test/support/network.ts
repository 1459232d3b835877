import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The way from the browser to the server, which can be cut: what is being sent then is lost. */
export interface Network {
  readonly url: string;
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export async function openNetwork(server: string): Promise<Network> {
  const { port, hostname } = new URL(server);
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  };
  const proxy = createServer((browser) => {
    const onward = connect(Number(port), hostname);
    keep(browser);
    keep(onward);
    browser.pipe(onward).pipe(browser);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`,
    cut,
    async close() {
      cut();
      await new Promise((resolve) => void proxy.close(resolve));
    },
  };
}
