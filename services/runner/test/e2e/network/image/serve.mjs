// serve.mjs <port>…: answers on TCP and UDP with the address of the client. Prints `listening` once it is ready.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

// One UDP socket per address: a UDP answer must come from the address that the client asked.
const addresses = Object.values(networkInterfaces())
  .flat()
  .filter(({ family }) => family === 'IPv4')
  .map(({ address }) => address);

async function answerTcp(port) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(socket.remoteAddress);
  });
  await once(server.listen(port, '0.0.0.0'), 'listening');
}

async function answerUdp(port, address) {
  const udp = createSocket('udp4', (_, from) => udp.send(from.address, from.port, from.address));
  udp.bind(port, address);
  try {
    await once(udp, 'listening');
  } catch (error) {
    // The network of another test may have been removed since the addresses were listed.
    if (error.code !== 'EADDRNOTAVAIL') throw error;
  }
}

const ports = process.argv.slice(2).map(Number);
await Promise.all(ports.flatMap((port) => [answerTcp(port), ...addresses.map((address) => answerUdp(port, address))]));
console.log('listening');
