import { billingDimensions } from '@berth/contract';
import { expect, test } from 'vitest';
import { listPrices } from './prices.ts';

test('every billing dimension has exactly one list price, in its own unit', () => {
  expect(listPrices.map(({ dimension, unit }) => ({ name: dimension, unit }))).toEqual(
    billingDimensions.map(({ name, unit }) => ({ name, unit })),
  );
});

const atto = 10n ** 18n;

/** 10⁻¹⁸ USD. */
function attoOf(dimension: string): bigint {
  const [whole = '', fraction = ''] =
    listPrices.find((price) => price.dimension === dimension)?.usdPerUnit.split('.') ?? [];
  expect(fraction.length).toBeLessThanOrEqual(18);
  return BigInt(whole + fraction.padEnd(18, '0'));
}

test.each([
  ['sandbox_image_storage_gbs', 45n, 2_592_000n],
  ['agent_image_storage_gbs', 45n, 2_592_000n],
  ['job_image_storage_gbs', 45n, 2_592_000n],
  ['mcp_server_image_storage_gbs', 45n, 2_592_000n],
  ['sandbox_snapshot_storage_gbs', 200n, 2_592_000n],
  ['volume_storage_gbs', 120n, 2_592_000n],
  ['custom_domain_active_time_hours', 20_000n, 720n],
])(
  'the price of %s for a unit is %i thousandths of a USD for a month, rounded at the 18th digit',
  (dimension, milliUsd, units) => {
    const wanted = (milliUsd * atto) / 1000n;
    const differs = attoOf(dimension) * units - wanted;
    expect((differs < 0n ? -differs : differs) * 2n).toBeLessThanOrEqual(units);
  },
);

test.each([
  ['sandbox_compute_runtime_gbs', 11_500_000_000_000n],
  ['agent_compute_runtime_gbs', 7_000_000_000_000n],
  ['mcp_server_compute_runtime_gbs', 7_000_000_000_000n],
  ['job_compute_runtime_gbs', 6_000_000_000_000n],
  ['agent_async_requests_count', 200_000_000_000n],
])('the price of %s is %i · 10⁻¹⁸ USD', (dimension, price) => {
  expect(attoOf(dimension)).toBe(price);
});
