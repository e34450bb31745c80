// serve.mjs <port>…: answers on TCP and UDP with the address that the question came from.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

// One by one: an answer by UDP must come from the address that was asked.
const addresses = Object.values(networkInterfaces())
  .flat()
  .filter(({ family }) => family === 'IPv4')
  .map(({ address }) => address);

for (const port of process.argv.slice(2).map(Number)) {
  createServer((socket) => {
    socket.on('error', () => {});
    socket.end(socket.remoteAddress);
  }).listen(port, '0.0.0.0');
  for (const address of addresses) {
    const udp = createSocket('udp4', (_, from) => udp.send(from.address, from.port, from.address));
    udp.bind(port, address);
  }
}
