// Calls to runners over their ingress, as gateways reach it: what is waited for here need not wait for a runner's stream.
import type { RunnerCallAnswer, RunnerCallBody, RunnerCallName } from '@berth/contract';
import type { Database } from '@berth/database';
import { createNodeAuthority, type Keyring, type MasterKeyRing } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import { callRunner, createCredentials, NotDispatched, RunnerLines } from '@berth/wire';
import { callSecretOf } from '../nodes/call-secret.ts';

/** As its row says. */
interface RunnerAt {
  readonly id: string;
  readonly ingressAddress: string | null;
  readonly ingressSecret: string | null;
}

export interface RunnerCalls {
  /** Undefined when the runner could not be asked, or did not answer in time: what became of it is not known then. */
  call<Name extends RunnerCallName>(
    runner: RunnerAt,
    name: Name,
    body: RunnerCallBody<Name>,
    mostMs: number,
  ): Promise<RunnerCallAnswer | undefined>;
  /** What the api shows to runners, in PEM; undefined before the first call. */
  readonly certificate: string | undefined;
  close(): void;
}

/** For a connection and the runner's first answer. */
const answerMs = 5_000;
/** After a refusal a runner is not called on for so long. */
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
  const lines = new RunnerLines({ credentials, answerMs, refusedMs, logger });
  return {
    async call({ id, ingressAddress: address, ingressSecret: secret }, name, body, mostMs) {
      const callWith = (shown?: string) => {
        const ingress = address === null ? undefined : { address, secret: shown };
        return callRunner(lines, { runnerId: id, ingress }, name, body, mostMs);
      };
      try {
        if (secret === null) return await callWith();
        // The runner is of a release before, and knows no certificates of callers. One older still knows the gateways' secret only.
        return await callWith(await callSecretOf({ database, keyring }, secret)).catch((error: unknown) => {
          if (error instanceof NotDispatched && error.reason === 'refused') return callWith(secret);
          throw error;
        });
      } catch (err) {
        logger.warn({ runner: id, call: name, err }, 'a runner was not asked; its stream tells it');
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
