// pnpm guest: builds the folder that every sandbox mounts at /.berth, and prints its path.
import { buildGuest } from '../engines/guest/runtime.ts';

console.log(await buildGuest());
