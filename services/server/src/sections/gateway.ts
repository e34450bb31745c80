import { GatewayConfig } from '@berth/gateway/config';

export const gatewaySection = GatewayConfig.prefault({});
