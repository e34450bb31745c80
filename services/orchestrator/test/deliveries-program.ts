// The loop that delivers callbacks as a separate process, so that it can be killed.
import { connect } from '@berth/database';
import { createKeyring, masterKeyRing } from '@berth/identity';
import { createPost } from '@berth/outward';
import { createLogger } from '@berth/telemetry';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startDeliveries } from '../src/callbacks/start-deliveries.ts';

export interface DeliveriesProgram {
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly leaseMs: number;
}

const { databaseUrl, masterKey, leaseMs }: DeliveriesProgram = JSON.parse(process.argv[2] ?? '{}');
startDeliveries({
  database: connect({ url: databaseUrl, maxConnections: 2 }),
  databaseUrl,
  keyring: createKeyring(masterKeyRing([{ id: 'test', key: Buffer.from(masterKey, 'base64') }])),
  brand: conformanceBrand(),
  post: createPost({ allowedRanges: ['127.0.0.0/8'] }),
  logger: createLogger({ role: 'test' }, { level: 'silent' }),
  random: Math.random,
  leaseMs,
});
