// Small text forms shared by many schemas.
import { z } from 'zod';

/** Names of resources: they become DNS labels, so they begin and end with a letter or digit. */
export const ResourceName = z
  .string()
  .min(1)
  .max(49)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and hyphens, not at the ends');

export const DisplayName = z.string().max(63);
export const ExternalId = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/, 'letters, digits and dashes');

/** A map with a bounded number of keys; zod bounds keys and values, not their count. */
export const mapOf = <V extends z.ZodType>(value: V, { keys = 256, keyLength = 256 } = {}) =>
  z
    .record(z.string().min(1).max(keyLength), value)
    .refine((map) => Object.keys(map).length <= keys, `at most ${keys} keys`)
    .meta({ maxProperties: keys });

/** Labels are searchable, so their number is bounded as well as their length. */
export const Labels = mapOf(z.string().max(512), { keys: 64, keyLength: 128 }).describe('At most 64 labels.');
export const Timestamp = z.string().describe('ISO 8601, UTC');
export const Duration = z
  .string()
  .max(10)
  .regex(/^[1-9]\d{0,8}(s|m|h|d|w)$/, 'a whole number and one of s, m, h, d, w');
export const RegionName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9-]+$/, 'lower-case letters, digits and hyphens');
export const Uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'a UUID in lower case');
/** Longest text that a free field takes; the body limit bounds the sum. */
export const Text = z.string().max(4096);
export const LongText = z.string().max(262_144);
export const AbsolutePath = z.string().min(1).max(4096).regex(/^\//, 'an absolute path');
/** Whole numbers in the range that every client language can hold. */
export const Count = z.int().min(0).max(2_147_483_647);
export const Percent = z.int().min(0).max(100);
export const PortNumber = z.int().min(1).max(65_535);
export const MemoryMb = z.int().min(128).max(262_144);
export const HttpUrl = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/]\S*$/, 'an http or https address');
/** A point in time given by a client: RFC 3339 with an offset. */
export const Instant = z.iso.datetime({ offset: true }).max(64);
export const DomainName = z
  .string()
  .max(253)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a domain name in lower case');
export const ImageReference = z.string().max(1024);
export const Texts = z.array(Text).max(1000);
export const ResourceNames = z.array(ResourceName).max(1000);
