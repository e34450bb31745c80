import { createHash } from 'node:crypto';

/** Replaces the account without a password that ClickHouse has by default. */
export function clickhouseUsers(password: string): string {
  const hash = createHash('sha256').update(password).digest('hex');
  return `<clickhouse>
  <users>
    <default remove="remove"/>
    <berth>
      <password_sha256_hex>${hash}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </berth>
  </users>
</clickhouse>
`;
}
