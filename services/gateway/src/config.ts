// Settings of the gateway. No key holds a secret.
import { isIP } from 'node:net';
import { BrowserOrigins, bytesPerMb } from '@berth/contract';
import { AddressRange, rateLimitSettings } from '@berth/identity';
import { z } from 'zod';
import { ModelPrices } from './limits/model-prices.ts';
import { plainHost } from './routing/own-hosts.ts';

/** Host name without a port: some clients send the port and some do not, and it does not make a different host. */
const HostName = z
  .string()
  .refine(
    (host) => isIP(host) === 6 || (plainHost(host) !== undefined && !/:\d+$/.test(host)),
    'Expected a host name or an address, without a scheme, a port or a path',
  );

const TlsFiles = z.object({
  certFile: z.string().min(1).describe('PEM file of the certificate and its intermediate certificates.'),
  keyFile: z.string().min(1).describe('PEM file of the private key of the certificate.'),
});

const Limits = z.object({
  multipartPartBytes: z
    .int()
    .positive()
    .default(16 * bytesPerMb)
    .describe('Maximum size of one part when a file is uploaded to a sandbox in parts.'),
  jsonBytes: z
    .int()
    .positive()
    .default(64 * bytesPerMb)
    .describe('Maximum size of a JSON body; other bodies are streamed without a limit.'),
  headerBytes: z
    .int()
    .min(4096)
    .max(bytesPerMb)
    .default(64 * 1024)
    .describe('Maximum size of the request line and the headers together.'),
});

const Timeouts = z.object({
  totalSeconds: z
    .number()
    .positive()
    .default(900)
    .describe(
      'Maximum time of a request to an agent or a function, from its first byte to the last byte of the response.',
    ),
  silentSeconds: z
    .number()
    .positive()
    .default(100)
    .describe('Maximum time without a byte in a request to an agent or a function; every byte restarts it.'),
});

const Hold = z.object({
  seconds: z.number().positive().default(30).describe('Maximum time that a request waits for a ready instance.'),
  requests: z
    .int()
    .positive()
    .default(1_000)
    .describe('Maximum number of requests that wait for one workload at a time.'),
});

const Sandboxes = z.object({
  undeclaredPorts: z
    .enum(['refuse', 'allow'])
    .default('refuse')
    .describe('Whether /port/{n} also reaches ports that spec.runtime.ports does not declare.'),
  silentSeconds: z
    .number()
    .positive()
    .default(900)
    .describe('Maximum time without a byte on a connection to a sandbox; a connection with traffic has no time limit.'),
  wakeSeconds: z
    .number()
    .positive()
    .default(60)
    .describe(
      'Maximum time that a request waits for a sandbox to wake, including the time its runner needs to free memory.',
    ),
});

const Models = z.object({
  bodyBytes: z
    .int()
    .positive()
    .default(8 * bytesPerMb)
    .describe('Maximum size of a request to a model; it is held in memory until the answer begins.'),
  answerSeconds: z
    .number()
    .positive()
    .default(600)
    .describe('Maximum time until a provider begins its answer; then the next connection of the model is tried.'),
  silentSeconds: z.number().positive().default(300).describe('Maximum time without a byte of an answer of a provider.'),
  prices: ModelPrices.default([]).describe(
    'Prices of providers, in USD for a million tokens, by which budgets of models are counted.',
  ),
});

const Calls = z.object({
  atOnce: z
    .int()
    .min(0)
    .default(64)
    .describe('Asynchronous calls that this process performs at once; 0 leaves them to other gateways.'),
  perAgent: z
    .int()
    .positive()
    .default(32)
    .describe('Asynchronous calls of one agent that are performed at once, by all gateways together.'),
  leaseSeconds: z
    .number()
    .min(3)
    .default(30)
    .describe('Time after which another gateway takes over the calls of one that was killed.'),
  bodyBytes: z
    .int()
    .positive()
    .max(64 * bytesPerMb)
    .default(6 * bytesPerMb)
    .describe('Maximum size of the body of an asynchronous call; it is stored until the call has ended.'),
});

/** High defaults, because a backend calls all its sandboxes with one key. */
const RateLimits = rateLimitSettings({ perSecond: 2_000, burst: 10_000 });

export const GatewayConfig = z.object({
  host: z.string().default('127.0.0.1').describe('Address to listen on.'),
  port: z.int().min(0).max(65_535).default(8090).describe('Port to listen on; 0 chooses a free port.'),
  hosts: z
    .array(HostName)
    .min(1)
    .optional()
    .describe(
      "Host names of the gateway itself, where /{workspace}/agents/{name} names a workload. Default: api.workloadDomain and run. below it. The listen address and loopback always count. On any other host a path belongs to that host's own workload.",
    ),
  tls: TlsFiles.optional().describe(
    'Certificate for HTTPS. Without it the gateway serves plain HTTP and needs an edge in front that terminates TLS.',
  ),
  browserOrigins: BrowserOrigins,
  trustedProxies: z
    .array(AddressRange)
    .default([])
    .describe(
      'Addresses of edges in front of the gateway whose X-Forwarded- headers are trusted. Without it all clients of an edge on another machine count as one address.',
    ),
  localRunner: z
    .string()
    .min(1)
    .optional()
    .describe('Socket of the runner on the same machine; its instances are then reached without a tunnel.'),
  docsUrl: z
    .string()
    .default('/docs/gateway-errors')
    .describe('Page that explains error codes; error responses link to it as docs_url.'),
  databaseConnections: z.int().min(2).max(500).default(5).describe('Connections this process may hold to PostgreSQL.'),
  rateLimits: RateLimits.prefault({}),
  limits: Limits.prefault({}),
  timeouts: Timeouts.prefault({}),
  hold: Hold.prefault({}),
  sandboxes: Sandboxes.prefault({}),
  models: Models.prefault({}),
  calls: Calls.prefault({}),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;
