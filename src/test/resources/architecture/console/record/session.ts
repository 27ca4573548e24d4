export const session = async () => (await import("./api")).me();
