// What an account is billed for. Specification, "Billing metrics".
import { z } from 'zod';

export type UsageUnit = 'gbs' | 'count' | 'hours';

export interface BillingDimension {
  readonly name: string;
  /** Type of resource as the billing metrics name it. A function is an `mcp_server` there. */
  readonly resourceType: string;
  /** `gbs`: seconds, multiplied by GB of 1 024 MB. */
  readonly unit: UsageUnit;
}

export const billingDimensions = [
  { name: 'sandbox_compute_runtime_gbs', resourceType: 'sandbox', unit: 'gbs' },
  { name: 'sandbox_image_storage_gbs', resourceType: 'sandbox', unit: 'gbs' },
  { name: 'sandbox_snapshot_storage_gbs', resourceType: 'sandbox', unit: 'gbs' },
  { name: 'agent_compute_runtime_gbs', resourceType: 'agent', unit: 'gbs' },
  { name: 'agent_image_storage_gbs', resourceType: 'agent', unit: 'gbs' },
  { name: 'agent_async_requests_count', resourceType: 'agent', unit: 'count' },
  { name: 'job_compute_runtime_gbs', resourceType: 'job', unit: 'gbs' },
  { name: 'job_image_storage_gbs', resourceType: 'job', unit: 'gbs' },
  { name: 'mcp_server_compute_runtime_gbs', resourceType: 'mcp_server', unit: 'gbs' },
  { name: 'mcp_server_image_storage_gbs', resourceType: 'mcp_server', unit: 'gbs' },
  { name: 'volume_storage_gbs', resourceType: 'volume', unit: 'gbs' },
  { name: 'custom_domain_active_time_hours', resourceType: 'custom_domain', unit: 'hours' },
] as const satisfies readonly BillingDimension[];

export const BillingDimensionName = z.enum(billingDimensions.map(({ name }) => name));
export type BillingDimensionName = z.infer<typeof BillingDimensionName>;
