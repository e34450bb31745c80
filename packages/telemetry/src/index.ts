export { environment } from './environment.ts';
