// Registers the address of the handlers with Restate; no other file does.
import { z } from 'zod';

const Registered = z.object({ id: z.string() });

export interface Registration {
  readonly adminUrl: string;
  /** Address at which Restate reaches the handlers; the same for all replicas behind it. */
  readonly handlersUrl: string;
}

/**
 * Safe to repeat. `renew` makes Restate read the handlers of a registered address again, which a new version at the old
 * address needs. Without it, a registered address is left alone.
 */
export async function register({ adminUrl, handlersUrl }: Registration, renew: boolean): Promise<{ isNew: boolean }> {
  const response = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: handlersUrl, force: renew }),
    signal: AbortSignal.timeout(30_000),
  });
  const answer = await response.text();
  if (!response.ok) {
    throw new Error(`Restate at ${adminUrl} does not accept the handlers at ${handlersUrl}: ${answer.slice(0, 500)}`);
  }
  Registered.parse(JSON.parse(answer));
  return { isNew: response.status === 201 };
}
