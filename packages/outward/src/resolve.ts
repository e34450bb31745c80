import { Resolver } from 'node:dns/promises';

/** Addresses of a name; empty for an unknown one. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the DNS servers of the machine directly. The system's own lookup would also read the machine's hosts file, and it
 * runs on the few threads that file access shares, so names that no server answers would delay the whole process.
 */
export const resolveName: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
