// List prices in USD. They are copied to an account when its first workspace is set up; the operator changes the copy
// afterwards. Decimal text, never a float. A month is 30 days: 2 592 000 seconds, 720 hours.

interface Price {
  readonly dimension: string;
  readonly unit: 'gbs' | 'count' | 'hours';
  readonly usdPerUnit: string;
}

/** 0.045 USD for a GB-month of stored image. */
const imageStorage = '0.000000017361';

export const listPrices: readonly Price[] = [
  { dimension: 'sandbox_compute_runtime_gbs', unit: 'gbs', usdPerUnit: '0.0000115' },
  { dimension: 'sandbox_image_storage_gbs', unit: 'gbs', usdPerUnit: imageStorage },
  // 0.20 USD for a GB-month.
  { dimension: 'sandbox_snapshot_storage_gbs', unit: 'gbs', usdPerUnit: '0.000000077160' },
  { dimension: 'agent_compute_runtime_gbs', unit: 'gbs', usdPerUnit: '0.000007' },
  { dimension: 'agent_image_storage_gbs', unit: 'gbs', usdPerUnit: imageStorage },
  { dimension: 'agent_async_requests_count', unit: 'count', usdPerUnit: '0.0000002' },
  { dimension: 'job_compute_runtime_gbs', unit: 'gbs', usdPerUnit: '0.000006' },
  { dimension: 'job_image_storage_gbs', unit: 'gbs', usdPerUnit: imageStorage },
  { dimension: 'mcp_server_compute_runtime_gbs', unit: 'gbs', usdPerUnit: '0.000007' },
  { dimension: 'mcp_server_image_storage_gbs', unit: 'gbs', usdPerUnit: imageStorage },
  // 0.12 USD for a GB-month.
  { dimension: 'volume_storage_gbs', unit: 'gbs', usdPerUnit: '0.000000046296' },
  // 20 USD for a month.
  { dimension: 'custom_domain_active_time_hours', unit: 'hours', usdPerUnit: '0.027777777778' },
];
