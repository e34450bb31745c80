import type { AddressInfo } from 'node:net';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { wholeNumber } from '../read-values.ts';

export const port: Command = {
  name: 'port',
  about: 'Serves a port of a sandbox on this machine, until Ctrl-C',
  arguments: [{ name: 'sandbox' }, { name: 'port' }],
  options: { local: { about: 'port of this machine; the same where left out', value: 'port', short: 'l' } },
  async run({ given, berth, printer, signal }) {
    const number = wholeNumber(given.argument('port'), 'port');
    if (number === undefined) throw new UsageError('Which port?');
    const api = await berth();
    const box = await api.sandboxes.get(given.argument('sandbox'));
    const address = new URL(await box.port(number));
    const { key } = api.transport;
    if (address.protocol !== 'http:')
      throw new UsageError(`${address.origin} needs TLS, which this command does not speak yet. Use a preview.`);
    // Loaded here, because loading it takes longer than a whole `berth --version`.
    const { createServer, request } = await import('node:http');
    const server = createServer((incoming, answer) => {
      const passed = request(
        {
          ...{ host: address.hostname, port: address.port, method: incoming.method ?? 'GET' },
          path: `${address.pathname}${incoming.url ?? '/'}`,
          headers: { ...incoming.headers, host: address.host, authorization: `Bearer ${key}` },
        },
        (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(answer);
        },
      );
      passed.on('error', (error) => answer.writeHead(502).end(`${error.message}\n`));
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(wholeNumber(given.text('local'), 'port') ?? number, '127.0.0.1', resolve);
    });
    const { port: local } = server.address() as AddressInfo;
    printer.one({ address: `http://127.0.0.1:${local}` }, [{ title: 'address', of: (row) => row.address }]);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    server.closeAllConnections();
    server.close();
  },
};
