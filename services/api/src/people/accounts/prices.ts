// List prices in USD. They are copied to an account when its first workspace is set up; the operator changes the copy
// afterwards. Decimal text, never a float, with the 18 digits that the table holds. A month is 30 days: 2 592 000
// seconds, 720 hours.
import { type BillingDimensionName, billingDimensions, type UsageUnit } from '@berth/contract';

/** 0.045 USD for a GB-month of stored image. */
const imageStorage = '0.000000017361111111';

const usdPerUnit: Readonly<Record<BillingDimensionName, string>> = {
  sandbox_compute_runtime_gbs: '0.0000115',
  sandbox_image_storage_gbs: imageStorage,
  // 0.20 USD for a GB-month.
  sandbox_snapshot_storage_gbs: '0.000000077160493827',
  agent_compute_runtime_gbs: '0.000007',
  agent_image_storage_gbs: imageStorage,
  agent_async_requests_count: '0.0000002',
  job_compute_runtime_gbs: '0.000006',
  job_image_storage_gbs: imageStorage,
  mcp_server_compute_runtime_gbs: '0.000007',
  mcp_server_image_storage_gbs: imageStorage,
  // 0.12 USD for a GB-month.
  volume_storage_gbs: '0.000000046296296296',
  // 20 USD for a month.
  custom_domain_active_time_hours: '0.027777777777777778',
};

interface Price {
  readonly dimension: BillingDimensionName;
  readonly unit: UsageUnit;
  readonly usdPerUnit: string;
}

export const listPrices: readonly Price[] = billingDimensions.map(({ name, unit }) => ({
  dimension: name,
  unit,
  usdPerUnit: usdPerUnit[name],
}));
