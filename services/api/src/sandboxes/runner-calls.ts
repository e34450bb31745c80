// Calls runners over their ingress, on the same path as gateways, so that a request does not have to wait for the
// runner's stream.
import type { RunnerCallAnswer, RunnerCallBody, RunnerCallName } from '@berth/contract/node';
import type { Database } from '@berth/database';
import { createNodeAuthority, type Keyring, type MasterKeyRing } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import { callRunner, createCredentials, NotDispatched, RunnerConnections } from '@berth/wire';
import { callSecretOf } from '../nodes/call-secret.ts';

/** Ingress address and secret of a runner, as stored in `runners`. */
interface RunnerIngress {
  readonly id: string;
  readonly ingressAddress: string | null;
  readonly ingressSecret: string | null;
}

export interface RunnerCalls {
  /** Undefined when the runner was unreachable or did not answer in time; the outcome is then unknown. */
  call<Name extends RunnerCallName>(
    runner: RunnerIngress,
    name: Name,
    body: RunnerCallBody<Name>,
    maxMs: number,
  ): Promise<RunnerCallAnswer | undefined>;
  /** Client certificate of the api, in PEM; undefined before the first call. */
  readonly certificate: string | undefined;
  close(): void;
}

/** Timeout for the connection and the runner's first answer. */
const answerMs = 5_000;
/** Pause before the next call to a runner that refused the connection. */
const refusedMs = 100;

export interface RunnerCallsOptions {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly masterKeys: MasterKeyRing;
  readonly logger: Logger;
}

export function createRunnerCalls({ database, keyring, masterKeys, logger }: RunnerCallsOptions): RunnerCalls {
  const authority = () => createNodeAuthority(database, masterKeys);
  const credentials = createCredentials({
    authorityPem: async () => (await authority()).certificate,
    certify: async (publicKey) => (await authority()).certifyCaller(publicKey, 'api'),
    logger,
  });
  const lines = new RunnerConnections({ credentials, answerMs, refusedMs, logger });
  return {
    async call({ id, ingressAddress: address, ingressSecret: secret }, name, body, maxMs) {
      const callWith = (shown?: string) => {
        const ingress = address === null ? undefined : { address, secret: shown };
        return callRunner(lines, { runnerId: id, ingress }, name, body, maxMs);
      };
      try {
        if (secret === null) return await callWith();
        // A runner of the previous release does not check client certificates and needs the call secret; an older one
        // knows only the gateways' secret.
        return await callWith(await callSecretOf({ database, keyring }, secret)).catch((error: unknown) => {
          if (error instanceof NotDispatched && error.reason === 'refused') return callWith(secret);
          throw error;
        });
      } catch (err) {
        logger.warn({ runner: id, call: name, err }, 'runner call failed; falling back to the node stream');
        return undefined;
      }
    },
    get certificate() {
      return credentials.certificate;
    },
    close() {
      lines.close();
      credentials.close();
    },
  };
}
