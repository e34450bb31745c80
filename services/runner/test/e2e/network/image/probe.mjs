// probe.mjs tcp|udp:<address>:<port>…: prints the targets that answered, one per line.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

const TIMEOUT_MS = 1_500;

const reach = {
  tcp: (address, port, done) => {
    const socket = connect(port, address);
    socket.on('data', () => done(true)).on('error', () => done(false));
    return () => socket.destroy();
  },
  udp: (address, port, done) => {
    const socket = createSocket('udp4', () => done(true));
    socket.on('error', () => done(false));
    socket.send('?', port, address, (error) => error && done(false));
    return () => socket.close();
  },
};

async function probe(target) {
  const [protocol, address, port] = target.split(':');
  let close = () => {};
  const answered = await new Promise((resolve) => {
    close = reach[protocol](address, Number(port), resolve);
    // Counted once all targets were called: on a slow machine the calls alone may take longer.
    setImmediate(() => setTimeout(() => resolve(false), TIMEOUT_MS));
  });
  close();
  return answered ? [target] : [];
}

const answered = await Promise.all(process.argv.slice(2).map(probe));
console.log(answered.flat().join('\n'));
process.exit(0);
