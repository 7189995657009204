// What went through the door of a hub in this process. Knows no hub.

/** Counts that only rise; a test's own are what was added meanwhile. */
export const doorCount = { asked: 0, handovers: 0, repeatable: 0 }

/** Requests that a planned handover made fail although they could be repeated, in words. */
export const doorFailures: string[] = []
