import type { Database } from '@berth/database';
import { loadNodeAuthorityCertificate } from '@berth/identity';
import { createLogger } from '@berth/telemetry';
import { type Credentials, createCredentials } from '@berth/wire';
import { certifyGateway } from '../src/proxy/certify-gateway.ts';

/** Credentials of a gateway on this database. An api certifies them. */
export const gatewayCredentials = (database: Database): Credentials =>
  createCredentials({
    authorityPem: () => loadNodeAuthorityCertificate(database),
    certify: (publicKey, signal) => certifyGateway(database, publicKey, signal),
    logger: createLogger({ role: 'gateway' }, { level: 'silent' }),
  });
