import type { Fleet } from '../../engines/fleet/fleet.ts';

/** Calls the management API of the fleet, and returns the answer's JSON. Any status but success is an error. */
export async function callApi(
  { url, key }: Pick<Fleet, 'url' | 'key'>,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${url}/v0${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
