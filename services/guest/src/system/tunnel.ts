// No runtime grants a sandbox the right to make network interfaces, so none is made. The request is checked all the
// same: a caller learns of its own mistakes first.
import { TunnelConfig, TunnelConfigRequest } from '@berth/contract/guest';
import { requireRunner } from '../control/require-runner.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { parseJson } from '../http/read-body.ts';

export async function configureTunnel(call: Call): Promise<void> {
  const { config } = parseJson(await requireRunner(call), TunnelConfigRequest);
  checkConfig(config);
  throw new Fault(
    501,
    'The runtime of this sandbox does not grant network administration, so there is no tunnel. ' +
      'Let its programs speak to the other side over HTTPS instead.',
  );
}

export async function endTunnel(call: Call): Promise<void> {
  await requireRunner(call);
  throw new Fault(400, 'No tunnel runs in this sandbox, so there is none to end.');
}

function checkConfig(config: string): void {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(config, 'base64').toString('utf8'));
  } catch {
    throw new Fault(422, 'invalid tunnel config: it is not base64 of JSON. Encode the JSON text as base64.');
  }
  const parsed = TunnelConfig.safeParse(value);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  // Names only the field and the rule: the value may be a private key.
  throw new Fault(422, `invalid tunnel config: ${issue?.path.join('.') || 'it'} is missing or not as described.`);
}
