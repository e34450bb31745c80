// Reads a body of JSON objects, one a line.

/**
 * Ends with the body. Throws when no byte comes for `silentMs`: every stream of the service sends keepalives, so a silent one is
 * broken, whatever its connection says. Lines that are no object are keepalives too.
 */
export async function* jsonLines(body: ReadableStream<Uint8Array>, silentMs: number): AsyncGenerator<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silentMs);
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('{')) yield JSON.parse(line);
      if (done) return;
    }
  } finally {
    // Also when the consumer leaves early: the connection is of no more use.
    await reader.cancel().catch(() => {});
  }
}

export async function withinSilence<Result>(reading: Promise<Result>, ms: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The stream was silent for ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
