export const killSignal = 9;
export const terminateSignal = 15;
