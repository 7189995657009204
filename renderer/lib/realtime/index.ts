// The door of realtime: what screens may use.
export type { RealtimeEvent } from './channel-listeners.ts'
export { createCoalescer } from './coalesce.ts'
export { cellsOf } from './presence.ts'
export { useChannel, useHasRealtime, usePresence } from './use-channel.ts'
