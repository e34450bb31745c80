import { PlacementConfig } from '@berth/instances/config';

/** Read by the orchestrator, which places instances, and by the api, which claims warm sandboxes. */
export const placementSection = PlacementConfig.prefault({});
