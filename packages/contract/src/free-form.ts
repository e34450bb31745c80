export const freeForm = [];
