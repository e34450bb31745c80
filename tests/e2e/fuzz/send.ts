// Sends one request over a kept-alive connection, byte for byte as generated.
import { Agent, request } from 'node:http';
import type { FuzzRequest } from './request-of.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export function createSender(url: string, { connections, timeoutMs }: { connections: number; timeoutMs: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  const attempt = ({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          clearTimeout(timer);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() });
        });
      });
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      sent.end(body);
    });
  return {
    /**
     * Retries once: the server may close a kept-alive connection at the moment it is reused, which is not a failure.
     */
    async send(asked: FuzzRequest): Promise<FuzzAnswer> {
      try {
        return await attempt(asked);
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || !['ECONNRESET', 'EPIPE'].includes(String(error.code)))
          throw error;
        return attempt(asked);
      }
    },
    close: () => agent.destroy(),
  };
}
