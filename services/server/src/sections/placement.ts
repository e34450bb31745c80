import { PlacementConfig } from '@berth/placement/config';

/** Read by the orchestrator, which places instances, and by the api, which claims sandboxes that wait. */
export const placementSection = PlacementConfig.prefault({});
