// Format `<secret>.<fingerprint>`: the secret is for the api, the fingerprint (SHA-256 of the authority's
// certificate) for the runner. The fingerprint identifies the authority to trust, so that a man in the middle cannot
// take over the machine.

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
