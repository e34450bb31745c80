// Removes the provider's key from an answer: a provider that repeats requests, or an address that a tenant chose, must not
// show it to callers. The key is replaced by as many asterisks, so lengths stay true. Servers without keys take any word for
// one, such as EMPTY; such a word is no secret, and stays in what a model says.

const minSecretLength = 16;

export class KeyFilter {
  readonly #key: Buffer;
  readonly #mask: Buffer;
  /** End of the last chunk, where it may be the beginning of the key. */
  #tail = Buffer.alloc(0);

  constructor(key: string) {
    this.#key = Buffer.from(key, 'latin1');
    this.#mask = Buffer.alloc(this.#key.length, '*');
  }

  /** What can be passed on now. A chunk without the key is passed on as it is. */
  pass(chunk: Buffer): Buffer {
    if (!this.#isSecret) return chunk;
    const all = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const masked = this.#masked(all);
    const kept = this.#keyStartAt(masked);
    this.#tail = kept === masked.length ? Buffer.alloc(0) : Buffer.from(masked.subarray(kept));
    return masked.subarray(0, kept);
  }

  /** What is left at the end of the answer. */
  end(): Buffer {
    return this.#tail;
  }

  text(value: string): string {
    if (!this.#isSecret) return value;
    return value.replaceAll(this.#key.toString('latin1'), this.#mask.toString('latin1'));
  }

  get #isSecret(): boolean {
    return this.#key.length >= minSecretLength;
  }

  #masked(bytes: Buffer): Buffer {
    let at = bytes.indexOf(this.#key);
    if (at === -1) return bytes;
    const copy = Buffer.from(bytes);
    for (; at !== -1; at = copy.indexOf(this.#key, at + this.#key.length)) this.#mask.copy(copy, at);
    return copy;
  }

  /** Position from which the bytes are the beginning of a key, or their length. */
  #keyStartAt(bytes: Buffer): number {
    const first = this.#key[0] ?? 0;
    let at = Math.max(0, bytes.length - this.#key.length + 1);
    for (at = bytes.indexOf(first, at); at !== -1; at = bytes.indexOf(first, at + 1))
      if (this.#key.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
    return bytes.length;
  }
}
