// The runner authenticates with a signature over the request. The guest keeps no secret for this, because root in the
// sandbox can read all of the guest's memory and files.
//
// An intercepted request can be replayed only to a guest that has restarted since, and only within the time window: the
// guest keeps the time of the last accepted request in memory only. Routes behind this check must therefore tolerate
// the same request twice.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { bytesPerMb, controlWindowMs, parseRunnerProof, signedText } from '@berth/contract/guest';
import type { Guest } from '../guest.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readBody } from '../http/read-body.ts';

const maxBodyBytes = 4 * bytesPerMb;

const lastAcceptedMs = new WeakMap<Guest, number>();

/** Returns the body, since the signature covers it. Faults: 401 without a proof, 403 with an invalid one. */
export async function requireRunner(call: Call): Promise<Buffer> {
  const { guest, request } = call;
  const header = request.headers.authorization ?? '';
  if (!header.startsWith('Runner ')) {
    throw new Fault(401, 'Only the runner of this sandbox may do this, with a request it has signed.', {
      headers: { 'WWW-Authenticate': 'Runner' },
    });
  }
  const { controlKey, instanceId } = guest.settings;
  if (!controlKey || !instanceId) {
    throw new Fault(
      403,
      'This sandbox was started without a runner’s key, so nobody is its runner. Start it with one.',
    );
  }
  const proof = parseRunnerProof(header);
  if (proof === undefined) throw refused('the header has not the form of a signature');
  if (Math.abs(Date.now() - proof.issuedAtMs) > controlWindowMs) {
    throw refused(`it was signed more than ${controlWindowMs / 1000} s from this sandbox’s time`);
  }
  refuseReplay(guest, proof.issuedAtMs);
  const body = await readBody(call, maxBodyBytes);
  const text = signedText({
    instanceId,
    method: request.method ?? '',
    path: request.url ?? '',
    bodySha256: createHash('sha256').update(body).digest('hex'),
    issuedAtMs: proof.issuedAtMs,
    nonce: proof.nonce,
  });
  if (!verify(null, Buffer.from(text), publicKey(controlKey), Buffer.from(proof.signature, 'base64url'))) {
    throw refused('the signature is not of this sandbox’s runner, for this request');
  }
  // Checked again: another request may have been accepted while this body arrived.
  refuseReplay(guest, proof.issuedAtMs);
  lastAcceptedMs.set(guest, proof.issuedAtMs);
  return body;
}

function refuseReplay(guest: Guest, issuedAtMs: number): void {
  if (issuedAtMs <= (lastAcceptedMs.get(guest) ?? 0)) {
    throw refused('a request signed at the same time or later has been accepted');
  }
}

function publicKey(spki: string): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new Fault(403, 'The runner’s key of this sandbox is not a public key. Start the sandbox with a right one.', {
      cause,
    });
  }
}

const refused = (why: string) => new Fault(403, `The runner’s signature is refused: ${why}. Sign the request again.`);
