// Settings of the gateway. No key holds a secret.
import { isIP } from 'node:net';
import { AddressRange, rateLimitSettings } from '@berth/identity';
import { z } from 'zod';
import { plainHost } from './routing/own-hosts.ts';

const mebibyte = 1024 * 1024;

/** Host name without a port: some clients send the port and some do not, and it does not make a different host. */
const HostName = z
  .string()
  .refine(
    (host) => isIP(host) === 6 || (plainHost(host) !== undefined && !/:\d+$/.test(host)),
    'Expected a host name or an address, without a scheme, a port or a path',
  );

const TlsFiles = z.object({
  certFile: z.string().min(1).describe('PEM file of the certificate and those that lead to its authority.'),
  keyFile: z.string().min(1).describe('PEM file of its private key.'),
});

const Limits = z.object({
  multipartPartBytes: z
    .int()
    .positive()
    .default(16 * mebibyte)
    .describe('Largest part when a file is uploaded to a sandbox in parts.'),
  jsonBytes: z
    .int()
    .positive()
    .default(64 * mebibyte)
    .describe('Largest JSON body; other bodies are streamed without a limit.'),
  headerBytes: z
    .int()
    .min(4096)
    .max(mebibyte)
    .default(64 * 1024)
    .describe('Largest request line and headers together.'),
});

const Timeouts = z.object({
  totalSeconds: z
    .number()
    .positive()
    .default(900)
    .describe('Longest request to an agent or a function, from its first byte to the last of its answer.'),
  silentSeconds: z
    .number()
    .positive()
    .default(100)
    .describe('How long an agent or a function may send nothing; every piece of an answer starts it anew.'),
});

const Hold = z.object({
  seconds: z.number().positive().default(30).describe('How long a request waits for an instance that can take it.'),
  requests: z.int().positive().default(1_000).describe('Requests that may wait for one workload at a time.'),
});

const Sandboxes = z.object({
  undeclaredPorts: z
    .enum(['refuse', 'allow'])
    .default('refuse')
    .describe('Whether /port/{n} also reaches ports that spec.runtime.ports does not name.'),
  silentSeconds: z
    .number()
    .positive()
    .default(900)
    .describe('How long a connection to a sandbox may carry no byte; one that moves has no limit.'),
  wakeSeconds: z
    .number()
    .positive()
    .default(60)
    .describe('How long a request waits for a sandbox to wake, while its runner makes room for it.'),
});

/** High defaults, because a backend calls all its sandboxes with one key. */
const RateLimits = rateLimitSettings({ perSecond: 2_000, burst: 10_000 });

export const GatewayConfig = z.object({
  host: z.string().default('127.0.0.1').describe('Address to listen on.'),
  port: z.int().min(0).max(65_535).default(8090).describe('Port to listen on; 0 takes a free one.'),
  hosts: z
    .array(HostName)
    .min(1)
    .optional()
    .describe(
      "Host names of the gateway itself, where /{workspace}/agents/{name} names a workload; api.workloadDomain and run. below it when absent. The address it listens on and loopback count too. On any other host a path belongs to that host's own workload.",
    ),
  tls: TlsFiles.optional().describe(
    'Certificate to serve HTTPS with; plain HTTP without it, behind an edge that does.',
  ),
  trustedProxies: z
    .array(AddressRange)
    .default([])
    .describe(
      'Edges in front of the gateway whose X-Forwarded- headers are believed; nobody else is. Without it all clients of an edge on another machine count as one address.',
    ),
  localRunner: z
    .string()
    .min(1)
    .optional()
    .describe('Socket of the runner on the same machine, to reach its instances without a tunnel.'),
  docsUrl: z
    .string()
    .default('/docs/gateway-errors')
    .describe('Page that explains error codes; answers point to it as docs_url.'),
  databaseConnections: z.int().min(2).max(500).default(5).describe('Connections this process may hold to PostgreSQL.'),
  rateLimits: RateLimits.prefault({}),
  limits: Limits.prefault({}),
  timeouts: Timeouts.prefault({}),
  hold: Hold.prefault({}),
  sandboxes: Sandboxes.prefault({}),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;
