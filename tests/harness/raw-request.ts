import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export type RawAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of it is what it checks
  json: any;
};

export type RawOptions = { method?: string; headers?: Record<string, string>; body?: Buffer | string | object };

/** Sends a request with an unchanged path: `fetch` would rewrite `..` and its encoded forms. */
export function rawRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const bytes = body === undefined ? undefined : bytesOf(body);
  return new Promise((resolve, reject) => {
    const length: Record<string, string> = bytes === undefined ? {} : { 'content-length': String(bytes.length) };
    const request = httpRequest({ hostname, port, path, method, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const all = Buffer.concat(chunks);
        const isJson = /json/.test(response.headers['content-type'] ?? '') && all.length > 0;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: all,
          json: isJson ? JSON.parse(all.toString('utf8')) : undefined,
        });
      });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}

const bytesOf = (body: Buffer | string | object) =>
  Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

export type FormField = { name: string; value: Buffer | string; fileName?: string };

/** Builds a multipart form with its fields in the given order. */
export function formOf(
  fields: readonly FormField[],
  boundary = 'a7f3-boundary',
): { headers: Record<string, string>; body: Buffer } {
  const pieces = fields.flatMap(({ name, value, fileName }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${
        fileName === undefined ? '' : 'Content-Type: application/octet-stream\r\n'
      }\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
