// Counts connections from their first packet on: how many have not proved who they are, how many an address holds, and
// how long a proof takes. Knows no certificate.
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { addressKey } from './address-key.ts'
import type { Timers } from './timers.ts'

/** Bounds on connections. */
export interface DoorLimits {
  /** Connections that have not proved who they are; default 16. */
  readonly unproved: number
  /** How long a proof may take, from the first packet to the open link; default 10 s. */
  readonly proofMs: number
  /** Connections of one address, proved or not; default 8. */
  readonly perAddress: number
  /** Connections in all; default 64. */
  readonly all: number
}

/** What a door works with. */
export interface DoorParts {
  readonly timers: Timers
  readonly limits: Partial<DoorLimits>
  refused(reason: 'too_many' | 'too_slow', address: string): void
}

/** Lets connections in, counts and ends them. */
export interface Door {
  readonly limits: DoorLimits
  /** @returns false: the connection was refused and is gone */
  enter(raw: Socket): boolean
  /** Says that whoever holds this channel has an open link. */
  proved(channel: TLSSocket): void
  /** Ends every connection that has not proved itself. */
  shut(): void
}

interface Visit {
  readonly raw: Socket
  stopWaiting(): void
}

/** Makes a door with nobody inside. */
export function createDoor(parts: DoorParts): Door {
  const limits: DoorLimits = { unproved: 16, proofMs: 10_000, perAddress: 8, all: 64, ...parts.limits }
  const held = new Map<string, number>()
  const unproved = new Map<string, Visit>()
  let all = 0

  return {
    limits,
    enter(raw) {
      const key = addressKey(raw.remoteAddress)
      const ofAddress = held.get(key) ?? 0
      // Without a listener a connection that breaks now would end the process.
      raw.on('error', () => raw.destroy())
      if (unproved.size >= limits.unproved || ofAddress >= limits.perAddress || all >= limits.all) {
        parts.refused('too_many', raw.remoteAddress ?? '')
        raw.destroy()
        return false
      }
      const name = endsOf(raw)
      all += 1
      held.set(key, ofAddress + 1)
      const stopWaiting = parts.timers.after(limits.proofMs, () => {
        parts.refused('too_slow', raw.remoteAddress ?? '')
        raw.destroy()
      })
      unproved.set(name, { raw, stopWaiting })
      raw.once('close', () => {
        stopWaiting()
        unproved.delete(name)
        all -= 1
        const left = (held.get(key) ?? 1) - 1
        if (left === 0) held.delete(key)
        else held.set(key, left)
      })
      return true
    },
    proved(channel) {
      const name = endsOf(channel)
      unproved.get(name)?.stopWaiting()
      unproved.delete(name)
    },
    shut() {
      for (const { raw } of unproved.values()) raw.destroy()
    },
  }
}

/** Both ends of a connection, which no other one shares while it is open. */
function endsOf(socket: Socket): string {
  return [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ')
}
