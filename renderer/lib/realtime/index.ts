// The door of realtime: what screens may use.
export type { RealtimeEvent } from './channel-listeners.ts'
export { createCoalescer } from './coalesce.ts'
export { useChannel, useHasRealtime, usePresence } from './use-channel.ts'
