import type { Tokens } from '../limits/tokens.ts';

const bytesOfToken = 4;

/** Tokens of a request whose provider has told none. They are never free: a client could otherwise leave before they are told. */
export const estimateTokens = ({ sentBytes, receivedBytes }: ExchangedBytes): Tokens => ({
  sent: Math.max(1, Math.ceil(sentBytes / bytesOfToken)),
  cached: 0,
  received: Math.ceil(receivedBytes / bytesOfToken),
});

interface ExchangedBytes {
  readonly sentBytes: number;
  readonly receivedBytes: number;
}
