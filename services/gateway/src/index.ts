export { GatewayConfig } from './config.ts';
export { type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.ts';
