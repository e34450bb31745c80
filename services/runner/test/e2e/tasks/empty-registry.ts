// Stands in for a registry of the internet that has no images. It runs in the network of the engine and prints its port.
import { createServer } from 'node:http';

const missing = { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] };

const server = createServer(({ url }, response) => {
  const isPing = url === '/v2/';
  response.writeHead(isPing ? 200 : 404, {
    'content-type': 'application/json',
    'docker-distribution-api-version': 'registry/2.0',
  });
  response.end(JSON.stringify(isPing ? {} : missing));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
