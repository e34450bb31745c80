import type { AddressInfo } from 'node:net';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { forwardPort } from '../forward-port.ts';
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
    const server = await forwardPort(new URL(await box.port(number)), api.transport.key ?? '');
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
