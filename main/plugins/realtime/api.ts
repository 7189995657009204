// What other plugins may ask of realtime. Types only; what is pushed are the events they raise.

/** The realtime service. */
export interface RealtimeService {
  /** How many connections there are. */
  connections(): number
  /** The most bytes that wait for one connection at this moment, those the network has not taken included (D-175). */
  largestBuffer(): number
  /** Whether somebody is connected at this moment, so that a message reaches the screen by itself. */
  isConnected(userId: string): boolean
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    realtime: RealtimeService
  }
}
