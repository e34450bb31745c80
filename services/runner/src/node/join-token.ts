// `<secret>.<fingerprint>`: the secret is for the api, the fingerprint (SHA-256 of the authority's certificate) for us. Who
// was given the token knows by it whom to trust, so that nobody in between can take the machine in.

export interface JoinToken {
  readonly text: string;
  readonly fingerprint: string;
}

const format = /^[^.\s]+\.([0-9a-f]{64})$/;

export function parseJoinToken(text: string): JoinToken {
  const trimmed = text.trim();
  const fingerprint = format.exec(trimmed)?.[1];
  if (fingerprint === undefined) {
    throw new Error(
      'runner.joinToken cannot be read. Copy it whole, or make a new one: berth-server create-join-token.',
    );
  }
  return { text: trimmed, fingerprint };
}
