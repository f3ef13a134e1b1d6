export function document() {}
