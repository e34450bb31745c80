// Configuration and features of the deployment; control-plane sheet 2.17.
import { z } from 'zod';
import { Flavor } from './shared.ts';
import { Timestamp } from './text.ts';

const text = z.string().optional();
const flag = z.boolean().optional();
const Named = z.object({ name: z.string(), displayName: text });

const Region = z
  .object({
    name: z.string(),
    // Absent while there is no S3 endpoint.
    agentDrivePublicUrl: z.record(z.string(), z.string()).optional(),
    allowed: flag,
    continent: text,
    country: text,
    drivesAvailable: flag,
    egressAvailable: flag,
    infoGeneration: text,
    location: text,
    mk31Available: flag,
    proxyAvailable: flag,
  })
  .meta({ id: 'Region' });

export const Configuration = z
  .object({
    continents: z.array(Named),
    countries: z.array(Named),
    detectedRegion: text,
    privateLocations: z.array(z.object({ name: z.string() })),
    regions: z.array(Region),
  })
  .meta({ id: 'Configuration' });

export const Discovery = z
  .object({
    brand: z
      .object({ long: z.string(), short: z.string() })
      .meta({ id: 'Brand' })
      .describe('The long word is in names of headers, the short one in those of keys and variables.'),
    versions: z.array(z.string()).describe('Behaviour versions of the API, oldest first.'),
    apiUrl: z.string().describe('Of the management API, without its prefix.'),
    gatewayUrl: z.string().describe('Of the gateway: below it /{workspace}/sandboxes/{name} is the API of a sandbox.'),
    logins: z.array(z.string()).describe('Ways to get a credential; key: an API key that was made before.'),
  })
  .meta({ id: 'Discovery' });

export const Location = z
  .object({
    region: z.string(),
    status: z.string(),
    continent: text,
    country: text,
    flavors: z.array(Flavor).optional(),
    location: text,
    isolation: text.describe('How code of different tenants is kept apart there.'),
  })
  .meta({ id: 'Location' });

export const Changelog = z
  .object({ entries: z.array(z.object({ content: z.string(), date: z.string(), title: z.string() })) })
  .meta({ id: 'Changelog' });

export const Features = z.object({ features: z.record(z.string(), z.boolean()) }).meta({ id: 'Features' });

export const Feature = z
  .object({
    featureKey: z.string(),
    enabled: z.boolean(),
    variant: text,
    payload: z.unknown().optional(),
    evaluatedAt: Timestamp,
  })
  .meta({ id: 'Feature' });

export const PublicIps = z
  .record(z.string(), z.object({ description: text, ipv4Cidrs: z.array(z.string()), ipv6Cidrs: z.array(z.string()) }))
  .meta({ id: 'PublicIps' });
