import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Asked = {
  path: string;
  authorization: string | undefined;
  body: { model: string; messages: { role: string; content: string }[] };
};

/** Stands in for a model on the internet, which no test may call. It speaks the documented form of chat completions. */
export async function serveModel(answer: (asked: Asked) => Promise<[status: number, body: unknown]>) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { authorization } = request.headers;
      const one = { path: request.url ?? '', authorization, body: JSON.parse(Buffer.concat(chunks).toString()) };
      asked.push(one);
      const [status, body] = await answer(one);
      const location = status === 302 ? { location: '/elsewhere' } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...location });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const completion = (content: string, finish_reason = 'stop') => ({
  choices: [{ message: { content }, finish_reason }],
});
