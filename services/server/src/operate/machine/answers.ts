/** Throws unless the address answers with success; the message holds what it says instead. */
export async function answers(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method: 'GET' | 'POST' = 'GET',
): Promise<string> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(url, { method, headers, signal }).catch((cause: unknown) => {
    throw new Error(`${url} does not answer.`, { cause });
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${body.slice(0, 500)}`);
  return body;
}
