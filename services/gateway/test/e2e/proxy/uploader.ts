// uploader.ts <port> <mb>: uploads <mb> megabytes with chunked encoding and sends the response text to its parent.
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const [port, sizeMb] = process.argv.slice(2);

function* chunks() {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let at = 0; at < Number(sizeMb) * 16; at += 1) yield chunk;
}

const outgoing = request({ port, host: '127.0.0.1', method: 'POST', path: '/count' }, async (answer) => {
  process.send?.(await text(answer));
  process.disconnect();
});
Readable.from(chunks(), { objectMode: false }).pipe(outgoing);
